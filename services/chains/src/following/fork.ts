// A provider reports another block at a followed height. A reorganisation needs a second opinion, from another provider
// that has reached the height or from a second request. A lower head is never a reorganisation.

import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import { listBlocksBelow } from "./storage/rewinds.ts";

interface Place {
  number: number;
  hash: string;
}

/** Whether no provider holds on to the followed block. */
export async function isForkAgreed(
  reader: Reader,
  { others, head }: { others: readonly Reader[]; head: Place },
): Promise<boolean> {
  const responses = await Promise.all(
    [reader, ...others].map((one) => tryRequest(one.block(head.number))),
  );
  const known = responses.flatMap((block) => block ?? []);
  return known.length > 0 && known.every(({ hash }) => hash !== head.hash);
}

const PAGE = 50;
/** Followed blocks that are kept at least: deeper than any chain has been reorganised. */
export const BLOCKS_KEPT = 2_048;

/** The newest followed block that the provider has too; undefined where none of the kept ones is. */
export async function findCommonBlock(
  reader: Reader,
  { pool, chainId, head }: { pool: Pool; chainId: ChainId; head: Place },
): Promise<Place | undefined> {
  for (let below = head.number; ; ) {
    const page = await listBlocksBelow(pool, { chainId, below, max: PAGE });
    const last = page.at(-1);
    if (last === undefined) return undefined;
    const blocks = await reader.blocks(page.map(({ number }) => number));
    const common = page.find((place, at) => blocks[at]?.hash === place.hash);
    if (common !== undefined) return common;
    below = last.number;
  }
}
