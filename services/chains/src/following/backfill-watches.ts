// Searches followed blocks for transfers to payments that were opened since. Usually these are still in memory; after a
// start they are read again, by recipient.
import type { Address } from "@pay/values";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { type ChainLease, earliest, type Opened } from "./chain-lease.ts";
import { implausible } from "./scan.ts";
import type { Session } from "./session.ts";

const RECIPIENTS_MAX = 500;
const TRIES_MAX = 30;
/** Native coin needs whole blocks. */
const NATIVE_BLOCKS_MAX = 5_000;
const NATIVE_PAGE = 50;

/** False where no provider responds: the next round tries again. */
export async function backfillWatches(
  session: Session,
  lease: ChainLease,
  { watches, watchedXid }: Opened,
): Promise<boolean> {
  const { head } = lease.cursor;
  if (head === undefined) return false;
  const recipients = [
    ...new Set(watches.flatMap(({ recipient, payTo }) => [recipient, payTo ?? recipient])),
  ];
  const wanted = new Set(recipients);
  const since = earliest(watches);
  const isNative = watches.some(({ currency }) => currency === NATIVE);
  const tokens = watches.flatMap(({ currency }) => (currency === NATIVE ? [] : currency));
  const logs = tokens.length === 0 ? [] : recentLogs(lease, { tokens, wanted, since });
  const native = isNative ? lease.recentNative.find(wanted, since) : [];
  const missing = {
    withNative: native === undefined,
    tokens: logs === undefined ? session.getTokens(lease) : new Set<Address>(),
  };
  const findings = await session.request(async (reader) => {
    const more = await readTransfersSince(reader, {
      since,
      head: head.number,
      recipients,
      ...missing,
      blockTimeMs: session.chain.blockTimeMs,
      logBlocksMax: session.getRange(reader).size,
    });
    return session.find(lease, reader, [...(logs ?? []), ...(native ?? []), ...more]);
  });
  return findings !== undefined && session.write(lease, { head, watchedXid, ...findings });
}

/** Undefined where they must be read. */
function recentLogs(
  lease: ChainLease,
  { tokens, wanted, since }: { tokens: Address[]; wanted: ReadonlySet<Address>; since: Date },
): RawTransfer[] | undefined {
  const areKept = tokens.every((token) => lease.recentTokens.has(token));
  return areKept ? lease.recentLogs.find(wanted, since) : undefined;
}

interface Backfill {
  since: Date;
  head: number;
  blockTimeMs: number;
  logBlocksMax: number;
  tokens: ReadonlySet<Address>;
  recipients: readonly Address[];
  withNative: boolean;
}

async function readTransfersSince(reader: Reader, terms: Backfill): Promise<RawTransfer[]> {
  const { head, tokens, recipients, logBlocksMax } = terms;
  if (tokens.size === 0 && !terms.withNative) return [];
  const first = await blockBefore(reader, terms);
  const found: RawTransfer[] = [];
  for (let from = first; tokens.size > 0 && from <= head; from += logBlocksMax) {
    const toBlock = Math.min(from + logBlocksMax - 1, head);
    for (let at = 0; at < recipients.length; at += RECIPIENTS_MAX) {
      const page = recipients.slice(at, at + RECIPIENTS_MAX);
      found.push(...(await reader.transfers({ fromBlock: from, toBlock, tokens }, page)));
    }
  }
  if (!terms.withNative) return found;
  const wanted = new Set(recipients);
  const start = Math.max(first, head - NATIVE_BLOCKS_MAX);
  for (let from = start; from <= head; from += NATIVE_PAGE) {
    const numbers = Array.from(
      { length: Math.min(NATIVE_PAGE, head - from + 1) },
      (_, at) => from + at,
    );
    for (const block of await reader.valueBlocks(numbers)) {
      if (block === null) throw implausible(reader, "a block below its head is missing");
      found.push(...block.transfers.filter(({ recipient }) => wanted.has(recipient)));
    }
  }
  return found;
}

/** A block that is older than the time, or the first one; found in growing steps, because block times vary. */
async function blockBefore(
  reader: Reader,
  { since, head, blockTimeMs }: Backfill,
): Promise<number> {
  const newest = await reader.block(head);
  if (newest === null) throw implausible(reader, "it has not reached the followed block");
  const agoMs = newest.timestamp * 1_000 - since.getTime();
  let step = Math.max(Math.ceil(agoMs / blockTimeMs), 0) + 1;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const number = Math.max(head - step, 0);
    const block = await reader.block(number);
    if (block === null) throw implausible(reader, "a block below its head is missing");
    if (number === 0 || block.timestamp * 1_000 < since.getTime()) return number;
    step *= 2;
  }
  return 0;
}
