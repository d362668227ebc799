/**
 * The needs of a payment besides the chain: a signature of the wallet that paid, or a person who looks at a
 * transaction that no provider can follow.
 */
export const NEEDS = ["payer_signature", "review"] as const;
export type Needs = (typeof NEEDS)[number];

/** Undefined for nothing, and for what only a later version knows. */
export function needsIn(text: string | undefined): Needs | undefined {
  return NEEDS.find((one) => one === text);
}

/** Whether a transfer that names no payment may be taken for the one that it fits. */
export const UNNAMED_TRANSFERS = ["match", "hold"] as const;
export type UnnamedTransfers = (typeof UNNAMED_TRANSFERS)[number];
