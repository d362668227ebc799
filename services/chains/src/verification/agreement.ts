// Whether other providers report the same transaction. A provider that has not reached the block says nothing about it; of
// those that have, the majority decides.
import { disagreementsTotal, laggingTotal } from "../metrics.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import {
  answerOf,
  type Mined,
  type Reading,
  readTransaction,
  type TransactionQuery,
} from "./read-transaction.ts";

/** alone: no other provider answered with everything that has to be compared. */
export interface Agreement {
  kind: "agreed" | "contradicted" | "alone";
  /** Providers that report the same, the one that found it among them, and providers that report something else. */
  agreeing: number;
  contradicting: number;
}

type Opinion = "same" | "other" | "none";

export async function agreementOn({
  query,
  found,
  cache,
  caches,
  chainId,
}: {
  query: TransactionQuery;
  found: Mined;
  /** Of the provider that found it. */
  cache: ChainHeadCache;
  caches: readonly ChainHeadCache[];
  chainId: number;
}): Promise<Agreement> {
  let same = 0;
  let others = 0;
  for (const other of caches) {
    if (other === cache) continue;
    const second = await answerOf(readTransaction(other, query));
    const opinion =
      second === undefined ? "none" : await opinionOf(second, { found, other, chainId });
    if (opinion === "same") same++;
    if (opinion === "other") others++;
    if (same > 0 && others === 0) break;
  }
  // The provider that found it counts as one.
  const counts = { agreeing: same + 1, contradicting: others };
  if (others === 0) return { kind: same > 0 ? "agreed" : "alone", ...counts };
  disagreementsTotal.inc({ chain: chainId });
  return { kind: same > 0 && same + 1 > others ? "agreed" : "contradicted", ...counts };
}

async function opinionOf(
  second: Reading,
  { found, other, chainId }: { found: Mined; other: ChainHeadCache; chainId: number },
): Promise<Opinion> {
  if (second.kind === "mined") {
    if (!isSame(found, second)) return "other";
    return second.facts.complete ? "same" : "none";
  }
  const block = await answerOf(other.reader.block(found.blockNumber));
  if (block === undefined) return "none";
  if (block === null) {
    laggingTotal.inc({ chain: chainId });
    return "none";
  }
  // The block is there and the transaction is not yet: the provider is about to have it.
  return block.hash === found.blockHash ? "none" : "other";
}

function isSame(a: Mined, b: Mined): boolean {
  return (
    a.blockHash === b.blockHash &&
    a.facts.succeeded === b.facts.succeeded &&
    a.facts.blockTime.getTime() === b.facts.blockTime.getTime() &&
    (!b.facts.complete || serialized(a.facts.transfers) === serialized(b.facts.transfers))
  );
}

function serialized(transfers: Mined["facts"]["transfers"]): string {
  return JSON.stringify(transfers, (_, value) => (typeof value === "bigint" ? `${value}` : value));
}
