// One step of following: the next blocks of the first provider that has any, or a rewind where the chain was
// reorganised.
import { disagreementsTotal, followedHead, orphanedTotal } from "../metrics.ts";
import type { Reader } from "../providers/reader.ts";
import { type ChainLease, isWatchedBy } from "./chain-lease.ts";
import { findCommonBlock, isForkAgreed } from "./fork.ts";
import { isUsable, type Prefetch, prefetch } from "./prefetch.ts";
import { implausible, type Scanned, type ScanTerms, scanNext, type Tip } from "./scan.ts";
import type { Session } from "./session.ts";
import { splitTransfers } from "./split-transfers.ts";
import { writeRewind } from "./storage/rewinds.ts";

/** Whole blocks are large. */
const NATIVE_BLOCKS_MAX = 50;
/** The next provider is tried once a head has stood still for the time of so many blocks. */
const STILL_BLOCKS = 3;
const STILL_MIN_MS = 2_000;

/** idle: no provider has a new block. done: at the head. more: further blocks follow at once. */
export type Advance = "idle" | "done" | "more";

interface Place {
  number: number;
  hash: string;
}

export async function advance(
  session: Session,
  lease: ChainLease,
  advancedAt: number,
): Promise<Advance> {
  const { head } = lease.cursor;
  if (head === undefined) return "idle";
  const { blockTimeMs } = session.chain;
  const stillMs = Math.max(STILL_BLOCKS * blockTimeMs, STILL_MIN_MS);
  const isStill = performance.now() - advancedAt > stillMs;
  const advanced = await session.request(async (reader, others): Promise<Advance | undefined> => {
    const scanning = { reader, others, head };
    const prefetched = takePrefetch(session, lease, scanning);
    if (prefetched !== undefined) return step(session, lease, { ...scanning, ...prefetched });
    const block = await reader.block("latest");
    if (block === null) return undefined;
    const { number, hash } = block;
    session.noteTip(number);
    if (number < head.number || (number === head.number && hash === head.hash)) {
      return isStill || number < head.number ? undefined : "idle";
    }
    if (number === head.number) return resolveFork(session, lease, scanning);
    const terms = toTerms(session, lease, { reader, head, tip: { number, block } });
    return step(session, lease, { ...scanning, terms, scan: scanNext(reader, terms) });
  });
  return advanced ?? "idle";
}

interface Scanning {
  reader: Reader;
  others: readonly Reader[];
  head: Place;
}

function toTerms(
  session: Session,
  lease: ChainLease,
  { reader, head, tip }: { reader: Reader; head: Place; tip: Tip },
): ScanTerms {
  const { size } = session.getRange(reader);
  const withNative = lease.natives.size > 0;
  return {
    head,
    tip,
    withNative,
    tokens: lease.tokens.size > 0 ? session.getTokens(lease) : new Set(),
    blocksMax: withNative ? Math.min(size, NATIVE_BLOCKS_MAX) : size,
  };
}

/** The prefetched blocks, once, where they are those that would be read now. */
function takePrefetch(
  session: Session,
  lease: ChainLease,
  { reader, head }: Scanning,
): Prefetch | undefined {
  const { prefetched } = lease;
  if (prefetched?.reader !== reader) return undefined;
  lease.prefetched = undefined;
  const terms = toTerms(session, lease, { reader, head, tip: prefetched.terms.tip });
  return isUsable(prefetched.terms, terms) ? prefetched : undefined;
}

async function step(
  session: Session,
  lease: ChainLease,
  { terms, scan, ...scanning }: Scanning & Pick<Prefetch, "terms" | "scan">,
): Promise<Advance | undefined> {
  const { reader } = scanning;
  const scanned = await scan;
  if (scanned === "fork") return resolveFork(session, lease, scanning);
  // A node that has a block may not have its logs yet. The second reading counts, because a filter may be wrong.
  if (scanned.isDoubtful && lease.doubtedAfter !== scanning.head.hash) {
    lease.doubtedAfter = scanning.head.hash;
    throw implausible(reader, "no logs in a block that may have some");
  }
  const { head, transfers, logs } = scanned;
  const blocks = head.number - scanning.head.number;
  session.getRange(reader).succeeded({ blocks, results: logs });
  const tip = { number: terms.tip.number, block: undefined };
  const isBehind = head.number < tip.number;
  if (isBehind) lease.prefetched = prefetch(reader, toTerms(session, lease, { reader, head, tip }));
  const { first, rest } = isBehind
    ? { first: [], rest: transfers }
    : splitTransfers(transfers.filter((one) => isWatchedBy(lease, one)));
  if (first.length > 0) {
    const found = await session.find(lease, reader, first);
    const early = { head: scanning.head, transfers: found.transfers, blocks: [] };
    if (!(await session.write(lease, early))) return "done";
  }
  const findings = await session.find(lease, reader, rest);
  if (!(await session.write(lease, { head, ...findings }))) return "done";
  followedHead.set({ chain: session.chain.chainId }, head.number);
  remember(lease, scanned, terms);
  return isBehind ? "more" : "done";
}

function remember(
  lease: ChainLease,
  { head: { time }, transfers }: Scanned,
  { tokens, withNative }: ScanTerms,
): void {
  const logs = transfers.filter(({ logIndex }) => logIndex !== undefined);
  const native = transfers.filter(({ logIndex }) => logIndex === undefined);
  const { recentLogs, recentNative, recentTokens } = lease;
  // The transfers so far lack those of one more token.
  if ([...tokens].some((token) => !recentTokens.has(token))) recentLogs.restart();
  lease.recentTokens = tokens;
  recentLogs.push({ time, transfers: logs });
  if (tokens.size === 0) recentLogs.restart();
  recentNative.push({ time, transfers: native });
  if (!withNative) recentNative.restart();
}

async function resolveFork(
  session: Session,
  lease: ChainLease,
  { reader, others, head }: Scanning,
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
  const terms = { chainId, leader, cursor: lease.cursor, to, now: session.clock.now() };
  const rewound = await writeRewind(pool, terms);
  if (rewound !== undefined) {
    const { orphaned } = rewound;
    orphanedTotal.inc({ chain: chainId }, orphaned);
    log.warn({ chainId, from: head.number, to: to.number, orphaned }, "a chain was reorganised");
    session.onFound();
  }
  // The recent transfers may be of removed blocks, so the leader loads its state again.
  session.drop();
  return "more";
}
