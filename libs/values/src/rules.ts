/** The rules that a submitted transaction is judged by, in the order in which they are applied. */
export const RULES = [
  "found",
  "mined",
  "settled",
  "providers",
  "claim",
  "succeeded",
  "recipient",
  "currency",
  "payer",
  "not_before",
  "not_after",
  "unused",
  "amount",
] as const;
export type Rule = (typeof RULES)[number];

/** Why a submitted transaction does not count: each breaks one of the rules. */
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

/** What becomes of a rule for one transaction. */
export const OUTCOMES = ["passed", "failed", "waiting", "not_applied", "not_reached"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How often the time of a payment may be extended, by the rule of WCAG 2.2.1: at least ten times. */
export const EXTENSIONS_MAX = 10;
