// When a block counts as settled. A chain's own word for it (safe, finalized) is believed; because a provider can
// serve a stale tag, a depth that the chain has never reorganised settles a block as well.

export interface FinalityPolicy {
  mode: "confirmations" | "safe" | "finalized";
  /** Blocks from the transaction to the head, both counted. With a tag: the depth that does without it. */
  confirmations: number;
  /** From this many whole units of the currency on, only the tag `finalized` settles. */
  highValueUnits?: bigint | undefined;
}

export interface Heights {
  head: number;
  safe: number | undefined;
  finalized: number | undefined;
}

/** Where a high value waits for a tag that the chain does not have, this depth must do. */
const DEPTH_WITHOUT_TAG = 64;

export const isSettled = (
  blockNumber: number,
  heights: Heights,
  policy: FinalityPolicy,
  paid: { baseAmount: bigint; decimals: number },
): boolean => {
  const { mode, confirmations, highValueUnits } = policy;
  const depth = Math.max(heights.head - blockNumber, 0) + 1;
  const tagged = (tag: number | undefined) => tag !== undefined && blockNumber <= tag;
  const high =
    highValueUnits !== undefined &&
    paid.baseAmount >= highValueUnits * 10n ** BigInt(paid.decimals);
  if (high && mode !== "finalized") {
    return (
      tagged(heights.finalized) ||
      (heights.finalized === undefined && depth >= Math.max(confirmations, DEPTH_WITHOUT_TAG))
    );
  }
  return depth >= confirmations || (mode !== "confirmations" && tagged(heights[mode]));
};
