// Which service may call which rpc. An rpc names its callers in its proto, and a caller proves itself by its own token.
// The rights of merchants are checked elsewhere.
import { createHash, timingSafeEqual } from "node:crypto";
import { type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import type { Metadata } from "@grpc/grpc-js";
import { Failure } from "@pay/failures";
import type { Identity } from "@pay/process";
import { Caller, CallerSchema, callers as callersOption } from "@pay/proto";

const TOKEN_KEY = "x-service-token";

/** The names of all callers. */
export const CALLERS: readonly string[] = CallerSchema.values
  .filter(({ number }) => number !== Caller.UNSPECIFIED)
  .map(({ localName }) => localName.toLowerCase());

/** The callers of an rpc, or of all rpcs of a service, by name. */
export function getCallers(desc: DescMethod | DescService): string[] {
  if (desc.kind === "service") return [...new Set(desc.methods.flatMap(getCallers))];
  return getOption(desc, callersOption).map(
    (caller) => CallerSchema.value[caller]?.localName.toLowerCase() ?? "",
  );
}

export function showIdentity(metadata: Metadata, identity: Identity | undefined): void {
  if (identity?.token !== undefined) metadata.set(TOKEN_KEY, identity.token);
}

/**
 * Throws unless the call comes from one of the method's callers. Several callers may have the same token, so that an
 * installation whose services share one can give each its own without a pause.
 */
export function createIdentityCheck(
  identity: Identity | undefined,
  method: DescMethod,
): (metadata: Metadata) => void {
  const named = getCallers(method);
  if (named.length === 0) throw new Error(`${method.toString()} names no caller`);
  if (identity === undefined) return () => {};
  const known = Object.entries(identity.callers).flatMap(([caller, tokens]) =>
    tokens.map((token) => ({ digest: digest(token), isNamed: named.includes(caller) })),
  );
  return (metadata) => {
    const shown = digest(metadata.get(TOKEN_KEY)[0]?.toString() ?? "");
    const found = known.filter((one) => timingSafeEqual(one.digest, shown));
    if (found.some(({ isNamed }) => isNamed)) return;
    throw found.length === 0
      ? new Failure("caller_unknown", "The calling service is not known")
      : new Failure("caller_not_allowed", "The calling service may not call this");
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
