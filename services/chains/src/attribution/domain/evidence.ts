// What a verification saw. It is stored with each verification, for people who ask why a payment is where it is; no
// verdict depends on it.
import type { Address, Needs } from "@pay/values";

/**
 * What a hash without a verdict waits for: a provider that answers, the transaction to be known, its block, the depth
 * of the block, providers that agree, a provider that can trace native coin, a better claim to the transfer that
 * waits itself, or a signature that decides between equal ones.
 */
export const WAITS = [
  "provider",
  "transaction",
  "block",
  "depth",
  "agreement",
  "trace",
  "claim",
  "signature",
] as const;
export type Wait = (typeof WAITS)[number];

/** The transaction is in a block, and nothing but its proof is missing. */
const FOR_PROOF: ReadonlySet<string | null | undefined> = new Set<Wait>([
  "depth",
  "agreement",
  "trace",
  "signature",
]);

export function waitsForProof(waitsFor: string | null | undefined): boolean {
  return FOR_PROOF.has(waitsFor);
}

/** What each wait needs besides the chain; a look that saw too little changes nothing. */
const NEEDS_OF_WAIT: Readonly<Record<Wait, Needs | null | "as before">> = {
  provider: "as before",
  transaction: "as before",
  agreement: "as before",
  block: null,
  depth: null,
  claim: null,
  signature: "payer_signature",
  trace: "review",
};

export function needsAfter(before: Needs | undefined, wait: Wait): Needs | undefined {
  const needs = NEEDS_OF_WAIT[wait];
  return needs === "as before" ? before : (needs ?? undefined);
}

export interface Evidence {
  /** Undefined with a verdict. */
  waitsFor: Wait | undefined;
  /** Block of the transaction and head of the chain, where it was in a block. */
  minedBlock?: number;
  chainHead?: number;
  /**
   * Providers that report the same transaction, the one that found it among them; undefined before they were
   * compared.
   */
  agreeing?: number;
  contradicting?: number;
  /** The only wallet that sent it; not stored. */
  paidBy?: Address;
}
