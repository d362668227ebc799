import { Failure } from "@pay/failures";
import { Mode } from "@pay/proto";
import type { Tenant, UnnamedTransfers } from "@pay/values";

/** What a restricted key may be given; each is needed by a route, or by a field of one. */
export const SCOPES = [
  "payments:read",
  "payments:write",
  "customers:read",
  "customers:write",
  "refunds:read",
  "refunds:write",
  "settlements:read",
  "settlements:write",
  "settlements:approve",
  "statements:read",
  "projects:read",
  "projects:write",
  "webhooks:read",
  "webhooks:write",
  "sessions:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * What a caller may do. An empty set is nothing. Older keys may have scopes that are offered no more, which open
 * nothing.
 */
export type Scopes = "all" | ReadonlySet<string>;

/** An unrestricted key, as its row has it. */
export const ALL_SCOPES: readonly string[] = ["all"];

export function isEveryScope(stored: readonly string[]): boolean {
  return stored.length === 1 && stored[0] === ALL_SCOPES[0];
}

export function toScopes(stored: readonly string[]): Scopes {
  return isEveryScope(stored) ? "all" : new Set(stored);
}

function hasScope({ scopes }: Pick<Caller, "scopes">, scope: Scope): boolean {
  return scopes === "all" || scopes.has(scope);
}

export type KeyType = "secret" | "publishable";
export type KeyMode = "live" | "test";

/** Who calls: a key, and what requests must know of its project. */
export interface Caller {
  keyId: string;
  projectId: string;
  type: KeyType;
  mode: KeyMode;
  scopes: Scopes;
  /** When a key that was rolled stops working. */
  expiresAt: Date | null;
  allowedOrigins: readonly string[];
  paymentLifetimeMinutes: number;
  /** Whether a transfer that names no payment may be taken for the one that it fits; null for match. */
  unnamedTransfers: UnnamedTransfers | null;
  /** The shape of the project's new payments; null where each request chooses it. */
  variant: "primary" | "b" | null;
  /** Version of the interface the project was created with. */
  version: string;
}

const MODES: Record<KeyMode, Mode> = { live: Mode.LIVE, test: Mode.TEST };

/** The caller as the other services know it: every request to them carries this. */
export function getTenant({ projectId, mode }: Caller): Tenant {
  return { projectId, mode: MODES[mode] };
}

export function checkScope(caller: Caller, scope: Scope | undefined): void {
  if (scope === undefined || hasScope(caller, scope)) return;
  throw new Failure("scope_missing", `API key lacks the scope ${scope}`);
}

/** Only a live key with all scopes may do what could give a key more rights than it has. */
export const UNRESTRICTED_LIVE = "unrestricted live key";

/** What a field of a body needs besides the scope of its route. */
export type FieldNeeds = Readonly<Record<string, Scope | typeof UNRESTRICTED_LIVE>>;

function isUnrestrictedLive({ mode, scopes }: Caller): boolean {
  return mode === "live" && scopes === "all";
}

/** The refusal names what the key would change. */
export function checkUnrestrictedLive(caller: Caller, what: string): void {
  if (isUnrestrictedLive(caller)) return;
  throw new Failure("unrestricted_live_key_required", `${what} with an ${UNRESTRICTED_LIVE}`);
}

export function checkFields(caller: Caller, needs: FieldNeeds, body: object): void {
  const named = Object.entries(needs).filter(
    ([field]) => (body as Record<string, unknown>)[field] !== undefined,
  );
  const guarded = named.flatMap(([field, need]) => (need === UNRESTRICTED_LIVE ? [field] : []));
  if (guarded.length > 0) {
    checkUnrestrictedLive(caller, `${guarded.join(", ")} can only be changed`);
  }
  for (const [field, need] of named) {
    if (need === UNRESTRICTED_LIVE || hasScope(caller, need)) continue;
    throw new Failure("scope_missing", `API key lacks the scope ${need}, which ${field} needs`);
  }
}
