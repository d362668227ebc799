// The limits of a signer, whatever other services request: the last check before a signature. It reads only the
// operator's configuration, the catalog, and the service's own records.
import { type Address, type Amount, type Currency, toBaseUnits, ZERO_AMOUNT } from "@pay/values";
import { type HeldReason, isSettlement, type NewIntent } from "./intent.ts";

/** Decimal amounts of the currency, as the operator writes them. */
export interface Limit {
  transactionMax: string;
  dayMax: string;
  /** From which amount on a deposit address is swept; absent: it is not, but for a refund of its payment. */
  sweepMin?: string | undefined;
}

export interface SigningPolicy {
  /** Whose money the wallet holds: another tenant that names the same address gets nothing from it. */
  projectId: string;
  mode: number;
  /** By currency; one that is missing is not sent. */
  limits: ReadonlyMap<Currency, Limit>;
  /**
   * Refunds go to a wallet that has paid as much for the payment and did not get it back, or to any that the merchant
   * names.
   */
  refundsTo: "payer" | "anyone";
  settlementsTo: ReadonlySet<Address>;
  maxFeePerGas: bigint;
  /** How long money at a deposit address waits for others that are swept with it. */
  sweepAfterMs: number;
}

export interface Sent {
  /** Of a refund: the sum that its destination has paid and not got back. Below zero: too much was sent back. */
  refundable: bigint;
  /** What was signed in the currency within the last day, in base units. */
  today: Amount;
  /** Of the currency, as the catalog has them: what an event says of them could make any amount a small one. */
  decimals: number | undefined;
}

/** Undefined where it may be signed. */
export function heldBy(
  policy: SigningPolicy,
  intent: NewIntent,
  { refundable, today, decimals }: Sent,
): HeldReason | undefined {
  if (policy.projectId !== intent.projectId || policy.mode !== intent.mode) return "owner";
  const limit = policy.limits.get(intent.currency);
  if (limit === undefined || decimals === undefined) return "currency";
  // The money can go to the recipient of its payments only, and is not the wallet's.
  if (intent.kind === "sweep") return undefined;
  if (!mayGoTo(policy, intent)) return "destination";
  const { baseAmount } = intent;
  if (baseAmount > baseUnits(limit.transactionMax, decimals)) return "transaction_limit";
  if (baseAmount + today > baseUnits(limit.dayMax, decimals)) return "day_limit";
  // Who adds a little to a payment of another wallet does not get all of it, not even in many parts.
  return goesToPayer(policy, intent) && baseAmount > refundable ? "destination" : undefined;
}

/** Whether it may only return money that its destination has paid. */
export function goesToPayer({ refundsTo }: SigningPolicy, intent: NewIntent): boolean {
  return refundsTo === "payer" && intent.kind === "transfer" && !isSettlement(intent);
}

function mayGoTo({ settlementsTo }: SigningPolicy, intent: NewIntent): boolean {
  const { destination } = intent;
  // To itself or to the contract of its own token, money is spent for nothing or lost.
  if (destination === intent.source || destination === intent.currency) return false;
  return !isSettlement(intent) || settlementsTo.has(destination);
}

/** A limit with finer digits than the currency has allows nothing. */
function baseUnits(limit: string, decimals: number): Amount {
  return toBaseUnits(limit, decimals) ?? ZERO_AMOUNT;
}
