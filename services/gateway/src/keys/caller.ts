import { isInRanges, type Range } from "@pay/egress";
import { Failure } from "@pay/failures";
import { Mode } from "@pay/proto";
import type { ChainId, Tenant, UnnamedTransfers } from "@pay/values";
import type { StoredWallets } from "../projects/default-wallets.ts";

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
  "keys:read",
  "keys:write",
  "audit:read",
  "members:read",
  "members:write",
  "logs:read",
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

export function mayUse({ scopes }: Pick<Caller, "scopes">, scope: Scope): boolean {
  return scopes === "all" || scopes.has(scope);
}

export type KeyType = "secret" | "publishable";
export type KeyMode = "live" | "test";

/** Who calls, and what requests must know of the project. */
interface AnyCaller {
  /** The id of the key or of the member. */
  actor: string;
  projectId: string;
  mode: KeyMode;
  scopes: Scopes;
  allowedOrigins: readonly string[];
  paymentLifetimeMinutes: number;
  /** Whether a transfer that names no payment may be taken for the one that it fits; null for match. */
  unnamedTransfers: UnnamedTransfers | null;
  depositAddresses: boolean;
  /** Recipients of payments whose request names none. */
  wallets: StoredWallets;
  /** The shape of the project's new payments; null where each request chooses it. */
  variant: "primary" | "b" | null;
  /** Version of the interface the project was created with. */
  version: string;
}

export interface KeyCaller extends AnyCaller {
  type: KeyType;
  /** When the key stops working, by its roll or by its own end. */
  expiresAt: Date | null;
  /** Where it may be used from; an empty list is everywhere. */
  allowedAddresses: readonly Range[];
}

/** So much of a token a day. */
export interface RefundLimit {
  chainId: ChainId;
  currency: string;
  /** Decimal string in whole units. */
  perDay: string;
}

/** A person who is signed in to the dashboard. */
export interface MemberCaller extends AnyCaller {
  type: "member";
  /** Whether the member proved a moment ago, by a passkey, to be there. */
  isConfirmed: boolean;
  /** What the member may refund although the role may only read refunds. The refunds service counts it. */
  refundLimits: readonly RefundLimit[];
}

export type Caller = KeyCaller | MemberCaller;

const MODES: Record<KeyMode, Mode> = { live: Mode.LIVE, test: Mode.TEST };

export function getMode(mode: KeyMode): Mode {
  return MODES[mode];
}

/** The caller as the other services know it: every request to them carries this. */
export function getTenant({ projectId, mode }: Caller): Tenant {
  return { projectId, mode: getMode(mode) };
}

function nameCaller({ type }: Caller): string {
  return type === "member" ? "Your role" : "API key";
}

/** Undefined for who may refund without a limit, and for who may not refund, such as who has no role in the mode. */
export function findRefundLimits({
  scopes,
  refundLimits = [],
}: Pick<Caller, "scopes"> & Partial<Pick<MemberCaller, "refundLimits">>):
  | readonly RefundLimit[]
  | undefined {
  const isLimited = !mayUse({ scopes }, "refunds:write") && mayUse({ scopes }, "refunds:read");
  return isLimited && refundLimits.length > 0 ? refundLimits : undefined;
}

export function checkScope(caller: Caller, scope: Scope | undefined): void {
  if (scope === undefined || mayUse(caller, scope)) return;
  throw new Failure("scope_missing", `${nameCaller(caller)} lacks the scope ${scope}`);
}

/** A key that is bound to addresses opens nothing from elsewhere. */
export function checkAddress({ allowedAddresses }: KeyCaller, getAddress: () => string): void {
  if (allowedAddresses.length === 0 || isInRanges(getAddress(), allowedAddresses)) return;
  throw new Failure("address_not_allowed", "API key may not be used from this address");
}

/** Only a live key with all scopes may do what could give a key more rights than it has. */
export const UNRESTRICTED_LIVE = "unrestricted live key";

/** What a field of a body needs besides the scope of its route. */
export type FieldNeeds = Readonly<Record<string, Scope | typeof UNRESTRICTED_LIVE>>;

function isUnrestrictedLive({ mode, scopes }: Caller): boolean {
  return mode === "live" && scopes === "all";
}

/** What a stolen cookie must not do: a member proves once more to be there. A key proves nothing but itself. */
export function checkConfirmed(caller: Caller): void {
  if (caller.type !== "member" || caller.isConfirmed) return;
  throw new Failure("confirmation_required", "Confirm that it is you");
}

/** Whether the caller may send money to an address that neither the chain nor the address book vouches for. */
export function mayNameDestination(caller: Caller): boolean {
  if (caller.type !== "member") return caller.scopes === "all";
  if (findRefundLimits(caller) !== undefined) return false;
  return caller.isConfirmed || caller.mode === "test";
}

/** The refusal names what the key would change. */
function checkUnrestrictedLive(caller: Caller, what: string): void {
  if (!isUnrestrictedLive(caller)) {
    throw new Failure("unrestricted_live_key_required", `${what} with an ${UNRESTRICTED_LIVE}`);
  }
  checkConfirmed(caller);
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
    if (need === UNRESTRICTED_LIVE || mayUse(caller, need)) continue;
    const lacking = `${nameCaller(caller)} lacks the scope ${need}, which ${field} needs`;
    throw new Failure("scope_missing", lacking);
  }
}
