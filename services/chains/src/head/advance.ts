// One step of following: the next blocks of the first provider that has any, or a rewind where the chain was reorganised.
import { disagreementsTotal, followedHead, orphanedTotal } from "../metrics.ts";
import type { Block } from "../providers/decode.ts";
import type { Reader } from "../providers/reader.ts";
import { writeRewind } from "../storage/rewinds.ts";
import { findCommonBlock, isForkAgreed } from "./fork.ts";
import type { Leadership } from "./leadership.ts";
import { scanNext } from "./scan.ts";
import type { Session } from "./session.ts";

/** Whole blocks are large. */
const NATIVE_BLOCKS_MAX = 50;
/** A head that stands still for so many blocks' time is no reason to wait for its provider. */
const STILL_BLOCKS = 3;
const STILL_MIN_MS = 2_000;

/** idle: no provider has a new block. done: at the head. more: there is more to follow at once. */
export type Advance = "idle" | "done" | "more";

interface Place {
  number: number;
  hash: string;
}

export async function advance(
  session: Session,
  lead: Leadership,
  advancedAt: number,
): Promise<Advance> {
  const { head } = lead.cursor;
  if (head === undefined) return "idle";
  const { blockTimeMs } = session.chain;
  const stillMs = Math.max(STILL_BLOCKS * blockTimeMs, STILL_MIN_MS);
  const isStill = performance.now() - advancedAt > stillMs;
  const advanced = await session.ask(async (reader, others): Promise<Advance | undefined> => {
    const tip = await reader.block("latest");
    if (tip === null) return undefined;
    if (tip.number < head.number || (tip.number === head.number && tip.hash === head.hash)) {
      return isStill || tip.number < head.number ? undefined : "idle";
    }
    return tip.number === head.number
      ? resolveFork(session, lead, { reader, others, head })
      : step(session, lead, { reader, others, head, tip });
  });
  return advanced ?? "idle";
}

interface Turn {
  reader: Reader;
  others: readonly Reader[];
  head: Place;
}

async function step(
  session: Session,
  lead: Leadership,
  { tip, ...turn }: Turn & { tip: Block },
): Promise<Advance | undefined> {
  const { range, chain } = session;
  const withNative = lead.natives.size > 0;
  const withTokens = lead.tokens.size > 0;
  const scanned = await scanNext(turn.reader, {
    ...{ head: turn.head, tip, withNative },
    tokens: withTokens ? session.listed() : new Set(),
    blocksMax: withNative ? Math.min(range.size, NATIVE_BLOCKS_MAX) : range.size,
  });
  if (scanned === "fork") return resolveFork(session, lead, turn);
  range.succeeded();
  const { head, transfers } = scanned;
  const findings = await session.find(lead, turn.reader, transfers);
  if (!(await session.write(lead, { head, ...findings }))) return "done";
  followedHead.set({ chain: chain.chainId }, head.number);
  remember(lead, { ...scanned, withNative, withTokens });
  return head.number < tip.number ? "more" : "done";
}

function remember(
  { recentLogs, recentNative }: Leadership,
  {
    head: { time },
    transfers,
    withNative,
    withTokens,
  }: Exclude<Awaited<ReturnType<typeof scanNext>>, "fork"> & {
    withNative: boolean;
    withTokens: boolean;
  },
): void {
  const logs = transfers.filter(({ logIndex }) => logIndex !== undefined);
  const native = transfers.filter(({ logIndex }) => logIndex === undefined);
  if (withTokens) recentLogs.push({ time, transfers: logs });
  else recentLogs.restart(time);
  if (withNative) recentNative.push({ time, transfers: native });
  else recentNative.restart(time);
}

async function resolveFork(
  session: Session,
  lead: Leadership,
  { reader, others, head }: Turn,
): Promise<Advance | undefined> {
  const { pool, log, leader, chain } = session;
  const { chainId } = chain;
  if (!(await isForkAgreed(reader, { others, head }))) {
    disagreementsTotal.inc({ chain: chainId });
    log.warn(
      { chainId, number: head.number, provider: reader.name },
      "providers disagree on a block",
    );
    return undefined;
  }
  const to = await findCommonBlock(reader, { pool, chainId, head });
  if (to === undefined) {
    throw new Error(
      `chain ${chainId} was reorganised deeper than it is followed: nothing of it is changed until an operator decides`,
    );
  }
  const terms = { chainId, leader, cursor: lead.cursor, to, now: session.clock.now() };
  const rewound = await writeRewind(pool, terms);
  if (rewound !== undefined) {
    const { orphaned, unproven } = rewound;
    orphanedTotal.inc({ chain: chainId }, orphaned);
    log.warn({ chainId, from: head.number, to: to.number, orphaned }, "a chain was reorganised");
    session.tookBack(unproven);
  }
  // The recent transfers may be of the blocks that are gone, so the leader begins anew.
  session.lost();
  return "more";
}
