// When a block is final. Where the policy names a tag of the chain (safe, finalized), the tag decides; a depth replaces
// it only while the provider has no tag, or a tag that stands still.
import type { Amount } from "@pay/values";

export interface FinalityPolicy {
  mode: "confirmations" | "safe" | "finalized";
  /**
   * Blocks from the transaction to the head, both counted. With a tag: the depth that replaces it while it is absent.
   */
  confirmations: number;
  /** From this many whole units of the currency on, only the tag `finalized` settles. */
  highValueUnits?: bigint | undefined;
}

/** A tag is undefined where the provider has none, and while it stands still. */
export interface Heights {
  head: number;
  safe: number | undefined;
  finalized: number | undefined;
}

export interface Paid {
  baseAmount: Amount;
  decimals: number;
}

export function isHighValue(
  { highValueUnits }: FinalityPolicy,
  { baseAmount, decimals }: Paid,
): boolean {
  return highValueUnits !== undefined && baseAmount >= highValueUnits * 10n ** BigInt(decimals);
}

/** The block up to which values that are not high are settled. */
export function findSettledHeight(
  heights: Heights,
  { mode, confirmations }: FinalityPolicy,
): number {
  const tag = mode === "confirmations" ? undefined : heights[mode];
  return Math.max(tag ?? heights.head - confirmations + 1, 0);
}

/** Where a high value waits for a tag that the chain does not have, this depth must do. */
const DEPTH_WITHOUT_TAG = 64;

export function isSettled(
  blockNumber: number,
  heights: Heights,
  policy: FinalityPolicy,
  paid: Paid,
): boolean {
  const { mode, confirmations } = policy;
  const depth = Math.max(heights.head - blockNumber, 0) + 1;
  function tagged(tag: number | undefined) {
    return tag !== undefined && blockNumber <= tag;
  }

  if (isHighValue(policy, paid) && mode !== "finalized") {
    return (
      tagged(heights.finalized) ||
      (heights.finalized === undefined && depth >= Math.max(confirmations, DEPTH_WITHOUT_TAG))
    );
  }
  if (mode === "confirmations" || heights[mode] === undefined) return depth >= confirmations;
  return tagged(heights[mode]);
}
