// One step of following: the next blocks of the first provider that has any, or a rewind where the chain was reorganised.
import { disagreementsTotal, followedHead, orphanedTotal } from "../metrics.ts";
import type { Reader } from "../providers/reader.ts";
import type { Leadership } from "./chain-lease.ts";
import { findCommonBlock, isForkAgreed } from "./fork.ts";
import { type Ahead, isAsAsked, readAhead } from "./prefetch.ts";
import { implausible, type Scanned, type ScanTerms, scanNext, type Tip } from "./scan.ts";
import type { Session } from "./session.ts";
import { writeRewind } from "./storage/rewinds.ts";

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
    const turn = { reader, others, head };
    const ahead = takeAhead(session, lead, turn);
    if (ahead !== undefined) return step(session, lead, { ...turn, ...ahead });
    const block = await reader.block("latest");
    if (block === null) return undefined;
    const { number, hash } = block;
    if (number < head.number || (number === head.number && hash === head.hash)) {
      return isStill || number < head.number ? undefined : "idle";
    }
    if (number === head.number) return resolveFork(session, lead, turn);
    const terms = toTerms(session, lead, { reader, head, tip: { number, block } });
    return step(session, lead, { ...turn, terms, scan: scanNext(reader, terms) });
  });
  return advanced ?? "idle";
}

interface Turn {
  reader: Reader;
  others: readonly Reader[];
  head: Place;
}

function toTerms(
  session: Session,
  lead: Leadership,
  { reader, head, tip }: { reader: Reader; head: Place; tip: Tip },
): ScanTerms {
  const { size } = session.getRange(reader);
  const withNative = lead.natives.size > 0;
  return {
    head,
    tip,
    withNative,
    tokens: lead.tokens.size > 0 ? session.getTokens(lead) : new Set(),
    blocksMax: withNative ? Math.min(size, NATIVE_BLOCKS_MAX) : size,
  };
}

/** What was read ahead, if it is what would be read now; it is there once. */
function takeAhead(session: Session, lead: Leadership, { reader, head }: Turn): Ahead | undefined {
  const { ahead } = lead;
  if (ahead?.reader !== reader) return undefined;
  lead.ahead = undefined;
  const terms = toTerms(session, lead, { reader, head, tip: ahead.terms.tip });
  return isAsAsked(ahead.terms, terms) ? ahead : undefined;
}

async function step(
  session: Session,
  lead: Leadership,
  { terms, scan, ...turn }: Turn & Pick<Ahead, "terms" | "scan">,
): Promise<Advance | undefined> {
  const { reader } = turn;
  const scanned = await scan;
  if (scanned === "fork") return resolveFork(session, lead, turn);
  // A node that has a block may not have its logs yet. The next provider is asked, or the same one in the next round, and
  // believed: a filter may be wrong.
  if (scanned.isDoubtful && lead.doubtedAfter !== turn.head.hash) {
    lead.doubtedAfter = turn.head.hash;
    throw implausible(reader, "no logs in a block that may have some");
  }
  const { head, transfers, logs } = scanned;
  const blocks = head.number - turn.head.number;
  session.getRange(reader).succeeded({ blocks, results: logs });
  const tip = { number: terms.tip.number, block: undefined };
  const isBehind = head.number < tip.number;
  if (isBehind) lead.ahead = readAhead(reader, toTerms(session, lead, { reader, head, tip }));
  const findings = await session.find(lead, reader, transfers);
  if (!(await session.write(lead, { head, ...findings }))) return "done";
  followedHead.set({ chain: session.chain.chainId }, head.number);
  remember(lead, scanned, terms);
  return isBehind ? "more" : "done";
}

function remember(
  lead: Leadership,
  { head: { time }, transfers }: Scanned,
  { tokens, withNative }: ScanTerms,
): void {
  const logs = transfers.filter(({ logIndex }) => logIndex !== undefined);
  const native = transfers.filter(({ logIndex }) => logIndex === undefined);
  const { recentLogs, recentNative, recentTokens } = lead;
  // What is kept so far lacks the transfers of one more token.
  if ([...tokens].some((token) => !recentTokens.has(token))) recentLogs.restart();
  lead.recentTokens = tokens;
  recentLogs.push({ time, transfers: logs });
  if (tokens.size === 0) recentLogs.restart();
  recentNative.push({ time, transfers: native });
  if (!withNative) recentNative.restart();
}

async function resolveFork(
  session: Session,
  lead: Leadership,
  { reader, others, head }: Turn,
): Promise<Advance | undefined> {
  const { pool, log, leader, chain } = session;
  const { chainId } = chain;
  if (!(await isForkAgreed(reader, { others, head }))) {
    disagreementsTotal.inc({ chain: chainId, provider: reader.name });
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
