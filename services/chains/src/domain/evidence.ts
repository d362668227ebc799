// What a verification saw. It is stored with each verification, for people who ask why a payment is where it is; no verdict
// depends on it.

/**
 * What a hash without a verdict waits for: a provider that answers, the transaction to be known, its block, the depth of
 * the block, providers that agree, a provider that can trace native coin, or a decision between claims to the transfer.
 */
export const WAITS = [
  ...(["provider", "transaction", "block", "depth"] as const),
  ...(["agreement", "trace", "claim"] as const),
] as const;
export type Wait = (typeof WAITS)[number];

/** The transaction is in a block, and nothing but its proof is missing. */
const FOR_PROOF: ReadonlySet<string | null | undefined> = new Set<Wait>([
  ...(["depth", "agreement", "trace"] as const),
]);

export function waitsForProof(waitsFor: string | null | undefined): boolean {
  return FOR_PROOF.has(waitsFor);
}

export interface Evidence {
  /** Undefined with a verdict. */
  waitsFor: Wait | undefined;
  /** Block of the transaction and head of the chain, where it was in a block. */
  minedBlock?: number;
  chainHead?: number;
  /** Providers that report the same transaction, the one that found it among them; undefined before they were compared. */
  agreeing?: number;
  contradicting?: number;
}
