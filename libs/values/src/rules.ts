/** The rules that a submitted transaction is judged by, in the order in which they are applied. */
export const RULES = [
  "found",
  "mined",
  "settled",
  "providers",
  "succeeded",
  "recipient",
  "currency",
  "not_before",
  "not_after",
  "unused",
  "attribution",
  "amount",
] as const;
export type Rule = (typeof RULES)[number];

/** Why a submitted transaction does not count. payer_mismatch is of outgoing money only. */
export const REASONS = [
  "reverted",
  "recipient_mismatch",
  "wrong_token",
  "payer_mismatch",
  "predates_payment",
  "late",
  "transfer_already_used",
  "underpaid",
  "replaced",
  "not_found",
  "reorged",
  "ambiguous",
] as const;
export type Reason = (typeof REASONS)[number];

/** The reasons that give a transfer to a payment: its name, a person's word, a signature, or the fit of the amount. */
export const ATTRIBUTION_RULES = [
  "reference",
  "authorization",
  "address",
  "merchant",
  "signature",
  "lone",
  "group",
] as const;
export type AttributionRule = (typeof ATTRIBUTION_RULES)[number];

/** Why a transfer to a merchant pays nothing. */
export const UNMATCHED_REASONS = [
  "several_fit",
  "more_than_due",
  "own_wallet",
  "held",
  "dust",
  "late",
  "no_payment",
  "named_elsewhere",
  "unknown_reference",
  "wrong_currency",
  "payout",
  "sweep",
] as const;
export type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** The outcome of a rule for one transaction. */
export const OUTCOMES = ["passed", "failed", "waiting", "not_applied", "not_reached"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who named a transaction of a payment. */
export const TRANSACTION_SOURCES = ["merchant", "shopper", "chain"] as const;
export type TransactionSource = (typeof TRANSACTION_SOURCES)[number];

/** The state of the verdict on a transaction of a payment. */
export const VERDICT_STATES = ["waiting", "confirmed", "rejected", "abandoned"] as const;
export type VerdictState = (typeof VERDICT_STATES)[number];

/** The use of a transfer, as seen from one payment. */
export const PAID = ["this", "other", "nothing"] as const;
export type Paid = (typeof PAID)[number];

/** How often the time of a payment may be extended, by the rule of WCAG 2.2.1: at least ten times. */
export const EXTENSIONS_MAX = 10;

/** What makes a block final: a depth, or a tag of the chain. */
export const FINALITY_MODES = ["confirmations", "safe", "finalized"] as const;
