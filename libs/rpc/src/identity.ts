// Who may call at all: processes that know the token of this installation. Merchants' rights are decided behind it.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Metadata } from "@grpc/grpc-js";
import type { Runtime } from "@pay/process";
import { Failure } from "./errors.ts";

const TOKEN_KEY = "x-service-token";

/** Of several tokens the first is shown; all are accepted, so that one can be replaced while everything runs. */
export const showIdentity = (metadata: Metadata, tokens: Runtime["serviceTokens"]): void => {
  if (tokens[0] !== undefined) metadata.set(TOKEN_KEY, tokens[0]);
};

/** Without tokens the network decides who calls. */
export const createIdentityCheck = (
  tokens: Runtime["serviceTokens"],
): ((metadata: Metadata) => void) => {
  const known = tokens.map(digest);
  return (metadata) => {
    if (known.length === 0) return;
    const shown = digest(metadata.get(TOKEN_KEY)[0]?.toString() ?? "");
    if (known.some((one) => timingSafeEqual(one, shown))) return;
    throw new Failure("unauthenticated", "The calling service is not known");
  };
};

const digest = (token: string): Buffer => createHash("sha256").update(token).digest();
