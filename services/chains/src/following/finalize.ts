// Followed blocks are read a second time, through another provider where there is one. Transfers of replaced blocks are
// orphaned, and transfers of final blocks that the first reading missed are added: a provider that hides one costs time
// only.
import type { ConfiguredChain } from "../catalog/configured-chains.ts";
import { disagreementsTotal, missedTotal, orphanedTotal } from "../metrics.ts";
import type { Reader } from "../providers/reader.ts";
import { createChainHeadCaches } from "../verification/chain-head-cache.ts";
import type { ChainLease } from "./chain-lease.ts";
import { isForkAgreed } from "./fork.ts";
import type { Session } from "./session.ts";
import {
  countUnknown,
  finalizeBlocks,
  listPendingBlocks,
  markFinal,
  type Place,
} from "./storage/final-blocks.ts";

const BLOCKS_MAX = 100;
const INTERVAL_MIN_MS = 500;

/** To be called at the head; runs once per block time. */
export function createFinalizer(session: Session): (lease: ChainLease) => Promise<void> {
  const finalHeight = createFinalHeights(session.chain);
  const intervalMs = Math.max(session.chain.blockTimeMs, INTERVAL_MIN_MS);
  let dueAt = 0;

  return async (lease) => {
    if (performance.now() < dueAt) return;
    dueAt = performance.now() + intervalMs;
    await session.requestFromOther(async (reader, others) => {
      const height = await finalHeight(reader);
      await finalizeSeen(session, { reader, others, height });
      const isWhole = await rereadFinal(session, lease, { reader, height });
      if (!isWhole) dueAt = 0;
      return true;
    });
  };
}

async function finalizeSeen(
  session: Session,
  { reader, others, height }: { reader: Reader; others: readonly Reader[]; height: number },
): Promise<void> {
  const { pool, chain, clock, log } = session;
  const { chainId } = chain;
  const blocks = await listPendingBlocks(pool, { chainId, height, max: BLOCKS_MAX });
  if (blocks.length === 0) return;
  const found = await reader.blocks(blocks.map(({ number }) => number));
  const final: Place[] = [];
  const gone: Place[] = [];
  for (const [at, place] of blocks.entries()) {
    const hash = found[at]?.hash;
    if (hash === undefined) continue;
    if (hash === place.hash && place.number <= height) final.push(place);
    if (hash === place.hash) continue;
    if (await isForkAgreed(reader, { others, head: place })) gone.push(place);
    else disagreementsTotal.inc({ chain: chainId, provider: reader.name });
  }
  const finalized = await finalizeBlocks(pool, { chainId, final, gone, now: clock.now() });
  if (finalized.orphaned === 0) return;
  orphanedTotal.inc({ chain: chainId }, finalized.orphaned);
  log.warn({ chainId, ...finalized }, "transfers are not in the chain any more");
  session.onFound();
}

/**
 * Reads the logs of blocks that became final. Native coin comes from whole blocks, of which no part can be missing.
 * False where more blocks are final.
 */
async function rereadFinal(
  session: Session,
  lease: ChainLease,
  { reader, height }: { reader: Reader; height: number },
): Promise<boolean> {
  const { pool, chain, leader, log } = session;
  const range = session.getRange(reader);
  const { chainId } = chain;
  const { cursor } = lease;
  const { head, finalNumber } = cursor;
  if (head === undefined) return true;
  const isNew = finalNumber === undefined;
  const fromBlock = isNew ? head.number + 1 : finalNumber + 1;
  const withTokens = lease.tokens.size > 0;
  const blocksMax = withTokens && !isNew ? range.size : Number.POSITIVE_INFINITY;
  const toBlock = isNew ? head.number : Math.min(height, head.number, fromBlock + blocksMax - 1);
  if (!isNew && toBlock < fromBlock) return true;
  if (withTokens && !isNew) {
    const raw = await reader.transfers({ fromBlock, toBlock, tokens: session.getTokens(lease) });
    range.succeeded({ blocks: toBlock - fromBlock + 1, results: raw.length });
    const findings = await session.find(lease, reader, raw);
    const missed = await countUnknown(pool, chainId, findings.transfers);
    if (missed > 0) {
      missedTotal.inc({ chain: chainId }, missed);
      log.error({ chainId, fromBlock, toBlock, missed }, "the first reading missed transfers");
      if (!(await session.write(lease, { head, ...findings }))) return true;
    }
  }
  await markFinal(pool, { chainId, leader, cursor, number: toBlock });
  lease.cursor = { ...lease.cursor, finalNumber: toBlock };
  return toBlock >= Math.min(height, head.number);
}

/** Where a chain has no tag for it, a block this deep counts as final. */
const DEPTH_WITHOUT_TAG = 64;

/** The height up to which a provider says that the chain is final: what is read there is read once and for ever. */
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
