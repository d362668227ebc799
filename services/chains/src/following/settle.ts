// What was followed is read a second time, through another provider where there is one. A transfer whose block is not in
// the chain is orphaned, even where the block was replaced before it was followed. Of the blocks that are final, a
// transfer that the first reading missed is added. So a provider that
// hides a transfer, or answers before it has one, costs time and no payment.
import { disagreementsTotal, missedTotal, orphanedTotal } from "../metrics.ts";
import type { Reader } from "../providers/reader.ts";
import type { Leadership } from "./chain-lease.ts";
import { createFinalHeights } from "./final-height.ts";
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

/** To be called whenever the head is reached; does its work once per block time. */
export function createSettling(session: Session): (lead: Leadership) => Promise<void> {
  const finalHeight = createFinalHeights(session.chain);
  const intervalMs = Math.max(session.chain.blockTimeMs, INTERVAL_MIN_MS);
  let dueAt = 0;

  return async (lead) => {
    if (performance.now() < dueAt) return;
    dueAt = performance.now() + intervalMs;
    await session.askSecond(async (reader, others) => {
      const height = await finalHeight(reader);
      await settleSeen(session, { reader, others, height });
      const isWhole = await readAgain(session, lead, { reader, height });
      if (!isWhole) dueAt = 0;
      return true;
    });
  };
}

async function settleSeen(
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
  const settled = await finalizeBlocks(pool, { chainId, final, gone, now: clock.now() });
  if (settled.orphaned === 0) return;
  orphanedTotal.inc({ chain: chainId }, settled.orphaned);
  log.warn({ chainId, ...settled }, "transfers are not in the chain any more");
  session.tookBack(settled.unproven);
}

/**
 * The logs of the blocks that became final: native coin is read from whole blocks, of which a part cannot be missing. False
 * where more of them became final.
 */
async function readAgain(
  session: Session,
  lead: Leadership,
  { reader, height }: { reader: Reader; height: number },
): Promise<boolean> {
  const { pool, chain, leader, log } = session;
  const range = session.getRange(reader);
  const { chainId } = chain;
  const { cursor } = lead;
  const { head, finalNumber } = cursor;
  if (head === undefined) return true;
  const isNew = finalNumber === undefined;
  const fromBlock = isNew ? head.number + 1 : finalNumber + 1;
  const withTokens = lead.tokens.size > 0;
  const blocksMax = withTokens && !isNew ? range.size : Number.POSITIVE_INFINITY;
  const toBlock = isNew ? head.number : Math.min(height, head.number, fromBlock + blocksMax - 1);
  if (!isNew && toBlock < fromBlock) return true;
  if (withTokens && !isNew) {
    const raw = await reader.transfers({ fromBlock, toBlock, tokens: session.getTokens(lead) });
    range.succeeded({ blocks: toBlock - fromBlock + 1, results: raw.length });
    const findings = await session.find(lead, reader, raw);
    // Others came before their payment was open, so they were not looked for.
    const paying = new Set(findings.found.map(({ submission }) => submission.txHash));
    const missed = await countUnknown(
      pool,
      chainId,
      findings.transfers.filter(({ txHash }) => paying.has(txHash)),
    );
    if (missed > 0) {
      missedTotal.inc({ chain: chainId }, missed);
      log.error({ chainId, fromBlock, toBlock, missed }, "the first reading missed transfers");
      if (!(await session.write(lead, { head, ...findings }))) return true;
    }
  }
  await markFinal(pool, { chainId, leader, cursor, number: toBlock });
  lead.cursor = { ...lead.cursor, finalNumber: toBlock };
  return toBlock >= Math.min(height, head.number);
}
