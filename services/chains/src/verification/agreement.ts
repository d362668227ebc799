// Whether a second provider reports the same transaction.

import type { ChainHeadCache } from "./chain-head-cache.ts";
import {
  answerOf,
  type Mined,
  readTransaction,
  type TransactionQuery,
} from "./read-transaction.ts";

/** alone: no other provider answered with everything that has to be compared. */
export type Agreement = "agreed" | "contradicted" | "alone";

export async function agreementOn({
  query,
  found,
  cache,
  caches,
}: {
  query: TransactionQuery;
  found: Mined;
  /** Of the provider that found it. */
  cache: ChainHeadCache;
  caches: readonly ChainHeadCache[];
}): Promise<Agreement> {
  for (const other of caches) {
    if (other === cache) continue;
    const second = await answerOf(readTransaction(other, query));
    if (second === undefined) continue;
    if (second.kind !== "mined" || !isSame(found, second)) return "contradicted";
    if (second.facts.complete) return "agreed";
  }
  return "alone";
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
