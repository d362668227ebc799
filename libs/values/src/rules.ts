/** The rules that a submitted transaction is judged by, in the order in which they are applied. */
export const RULES = [
  ...(["found", "mined", "settled", "providers", "claim", "succeeded", "recipient"] as const),
  ...(["currency", "payer", "not_before", "not_after", "unused", "amount"] as const),
] as const;
export type Rule = (typeof RULES)[number];

/** What becomes of a rule for one transaction. */
export const OUTCOMES = ["passed", "failed", "waiting", "not_applied", "not_reached"] as const;
export type Outcome = (typeof OUTCOMES)[number];
