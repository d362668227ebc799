// What a payment that has just become known may have missed: transfers in blocks that were followed before. Usually they
// are still in memory; after a start they are read again, by recipient.
import type { Address } from "@pay/values";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { earliest, type Leadership, type Opened } from "./chain-lease.ts";
import { implausible } from "./scan.ts";
import type { Session } from "./session.ts";

const RECIPIENTS_MAX = 500;
const TRIES_MAX = 30;
/** Native coin needs whole blocks. */
const NATIVE_BLOCKS_MAX = 5_000;
const NATIVE_PAGE = 50;

/** False where no provider could be asked: the payments are looked back for in the next round. */
export async function lookBack(
  session: Session,
  lead: Leadership,
  { watches, watchedXid }: Opened,
): Promise<boolean> {
  const { head } = lead.cursor;
  if (head === undefined) return false;
  const recipients = [...new Set(watches.map(({ recipient }) => recipient))];
  const wanted = new Set(recipients);
  const since = earliest(watches);
  const isNative = watches.some(({ currency }) => currency === NATIVE);
  const tokens = watches.flatMap(({ currency }) => (currency === NATIVE ? [] : currency));
  const logs = tokens.length === 0 ? [] : recentLogs(lead, { tokens, wanted, since });
  const native = isNative ? lead.recentNative.find(wanted, since) : [];
  const missing = {
    withNative: native === undefined,
    tokens: logs === undefined ? session.getTokens(lead) : new Set<Address>(),
  };
  const findings = await session.ask(async (reader) => {
    const more = await readBack(reader, {
      since,
      head: head.number,
      recipients,
      ...missing,
      blockTimeMs: session.chain.blockTimeMs,
      logBlocksMax: session.getRange(reader).size,
    });
    return session.find(lead, reader, [...(logs ?? []), ...(native ?? []), ...more]);
  });
  return findings !== undefined && session.write(lead, { head, watchedXid, ...findings });
}

/** Undefined where they must be read. */
function recentLogs(
  lead: Leadership,
  { tokens, wanted, since }: { tokens: Address[]; wanted: ReadonlySet<Address>; since: Date },
): RawTransfer[] | undefined {
  const areKept = tokens.every((token) => lead.recentTokens.has(token));
  return areKept ? lead.recentLogs.find(wanted, since) : undefined;
}

interface LookBack {
  since: Date;
  head: number;
  blockTimeMs: number;
  logBlocksMax: number;
  tokens: ReadonlySet<Address>;
  recipients: readonly Address[];
  withNative: boolean;
}

async function readBack(reader: Reader, terms: LookBack): Promise<RawTransfer[]> {
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
  { since, head, blockTimeMs }: LookBack,
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
