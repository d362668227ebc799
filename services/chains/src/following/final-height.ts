// The height up to which a provider says that the chain is final: what is read there is read once and for ever.
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import type { Reader } from "../providers/reader.ts";
import { createChainHeadCaches } from "../verification/chain-head-cache.ts";

/** Where a chain has no tag for it, a block this deep counts as final. */
const DEPTH_WITHOUT_TAG = 64;

export type FinalHeight = (reader: Reader) => Promise<number>;

export function createFinalHeights({ finality, blockTimeMs }: ConfiguredChain): FinalHeight {
  const policy = {
    mode: "finalized",
    confirmations: Math.max(finality.confirmations, DEPTH_WITHOUT_TAG),
  } as const;
  const getCache = createChainHeadCaches(policy, blockTimeMs);
  return async (reader) => {
    const { head, finalized } = await getCache(reader).heights();
    return finalized ?? head - policy.confirmations + 1;
  };
}
