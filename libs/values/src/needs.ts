/**
 * What a payment under judgement may need besides the chain: a signature of the wallet that paid, or a person who
 * looks.
 */
export const NEEDS = ["payer_signature", "review"] as const;
export type Needs = (typeof NEEDS)[number];

/** Undefined for nothing, and for what only a later version knows. */
export function needsIn(text: string | undefined): Needs | undefined {
  return NEEDS.find((one) => one === text);
}

/**
 * What becomes of a claim that no wallet has signed while another open payment may be meant: it is held until one
 * signs, or the first one wins.
 */
export const UNSIGNED_CLAIMS = ["hold", "first"] as const;
export type UnsignedClaims = (typeof UNSIGNED_CLAIMS)[number];
