// What a signer may send, whatever the other services ask for. It is the last check before a signature, and it reads nothing but
// the operator's configuration, the catalog, and the service's own record of what was paid.
import { toBaseUnits } from "@pay/values";
import { type HeldReason, isSettlement, type NewIntent } from "./intent.ts";

/** Decimal amounts of the currency, as the operator writes them. */
export interface Limit {
  transactionMax: string;
  dayMax: string;
}

export interface SigningPolicy {
  /** Whose money the wallet holds: another tenant that names the same address gets nothing from it. */
  projectId: string;
  mode: number;
  /** By currency; one that is missing is not sent. */
  limits: ReadonlyMap<string, Limit>;
  /** Refunds go to a wallet that has paid as much for the payment, or to any that the merchant names. */
  refundsTo: "payer" | "anyone";
  settlementsTo: ReadonlySet<string>;
  maxFeePerGas: bigint;
}

export interface Sent {
  /** What the payment got of the currency, by sender, as the chain has shown it. */
  paid: ReadonlyMap<string, bigint>;
  /** What was signed in the currency within the last day, in base units. */
  today: bigint;
  /** Of the currency, as the catalog has them: what an event says of them could make any amount a small one. */
  decimals: number | undefined;
}

/** Undefined where it may be signed. */
export function heldBy(
  policy: SigningPolicy,
  intent: NewIntent,
  { paid, today, decimals }: Sent,
): HeldReason | undefined {
  if (policy.projectId !== intent.projectId || policy.mode !== intent.mode) return "owner";
  const limit = policy.limits.get(intent.currency);
  if (limit === undefined || decimals === undefined) return "currency";
  const isToPayer = !isSettlement(intent) && policy.refundsTo === "payer";
  const paidBack = paid.get(intent.destination);
  if (!mayGoTo(policy, intent) || (isToPayer && paidBack === undefined)) return "destination";
  const { baseAmount } = intent;
  if (baseAmount > baseUnits(limit.transactionMax, decimals)) return "transaction_limit";
  if (baseAmount + today > baseUnits(limit.dayMax, decimals)) return "day_limit";
  // Who adds a little to a payment of another wallet does not get all of it.
  return isToPayer && baseAmount > (paidBack ?? 0n) ? "destination" : undefined;
}

function mayGoTo({ settlementsTo }: SigningPolicy, intent: NewIntent): boolean {
  const { destination } = intent;
  // To itself or to the contract of its own token, money is spent for nothing or lost.
  if (destination === intent.source || destination === intent.currency) return false;
  return !isSettlement(intent) || settlementsTo.has(destination);
}

/** A limit with finer digits than the currency has allows nothing. */
function baseUnits(limit: string, decimals: number): bigint {
  return toBaseUnits(limit, decimals) ?? 0n;
}
