// Finds native coin that contracts pass on to recipients of open payments: it is in no log, and in the value of no
// transaction. What a balance has gained beyond direct transfers leads to the block, and the traces of that block lead
// to the transactions, which are then verified like submitted ones. Where no provider traces, open payments of exactly
// that amount ask for a hash. The search runs beside the following, so that a block with many transactions delays
// nobody.
import {
  type Address,
  type Amount,
  type PaymentReference,
  type TxHash,
  toAmount,
} from "@pay/values";
import { isDust } from "../attribution/domain/orders.ts";
import { innerFoundTotal } from "../metrics.ts";
import type { Frame } from "../providers/decode.ts";
import type { AccountBlock } from "../providers/decode-logs.ts";
import { chooseCall, readInnerNames } from "../providers/domain/call.ts";
import { innerTransfers, NATIVE, type Transfer } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import type { SettledTransfer } from "../verification/domain/transaction.ts";
import type { ChainLease } from "./chain-lease.ts";
import { implausible } from "./scan.ts";
import type { Session } from "./session.ts";
import { type Gain, listNativeRecipients, markUntraced } from "./storage/native-recipients.ts";

const INTERVAL_MIN_MS = 5_000;
/** Of one search; the next one goes on behind them. */
const RECIPIENTS_MAX = 1_000;
/** So far back a recipient is read for the first time: nodes keep the balances of 128 blocks. */
const BLOCKS_MAX = 120;
const TRACES_AT_ONCE = 10;
const BALANCES_MAX = 100_000;

/** To be called at the head: starts a search where one is due, and writes what the last one found. */
export function createInnerSearch(session: Session): (lease: ChainLease) => Promise<void> {
  const { pool, chain, clock, log } = session;
  const { chainId } = chain;
  const intervalMs = Math.max(chain.blockTimeMs, INTERVAL_MIN_MS);
  let dueAt = 0;
  let after = "";

  async function search(lease: ChainLease): Promise<void> {
    const page = { chainId, after, now: clock.now(), max: RECIPIENTS_MAX };
    const { open, ended, last } = await listNativeRecipients(pool, page);
    after = last;
    for (const recipient of ended) lease.balances.delete(recipient);
    const { head } = lease.cursor;
    if (open.size === 0 || head === undefined) return;
    const gains = await session.request((reader) => readGains({ lease, reader, head, open }));
    for (const gain of gains ?? []) {
      const traced = await session.request((reader) => traceBlock(reader, gain));
      lease.innerCoin.push(...(traced ?? []));
      if (traced !== undefined) continue;
      log.warn({ chainId, number: gain.block.number }, "no provider traces a contract's transfer");
      if ((await markUntraced(pool, { chainId, gain, now: clock.now() })) > 0) session.onFound();
    }
  }

  return async (lease) => {
    const { head } = lease.cursor;
    if (head !== undefined && lease.innerCoin.length > 0) {
      const transfers = lease.innerCoin.splice(0);
      innerFoundTotal.inc({ chain: chainId }, transfers.length);
      if (!(await session.write(lease, { head, transfers, blocks: [] }))) return;
    }
    if (lease.natives.size === 0 || lease.searching || performance.now() < dueAt) return;
    lease.searching = search(lease)
      .catch((error: unknown) => log.error({ chainId, err: error }, "balances were not read"))
      .finally(() => {
        lease.searching = undefined;
        dueAt = performance.now() + intervalMs;
      });
  };
}

interface Place {
  lease: ChainLease;
  reader: Reader;
  head: { number: number; hash: string };
  /** Recipients, with the least that one of their payments is due. */
  open: ReadonlyMap<Address, Amount>;
}

async function readGains({ lease, reader, head, open }: Place): Promise<Gain[]> {
  const { balances } = lease;
  const { number } = head;
  const first = Math.max(number - BLOCKS_MAX, 0);
  const recipients = [...open.keys()];
  const unread = recipients.filter((recipient) => !balances.has(recipient));
  const newest = await readBalances(reader, recipients, number);
  // Where the node has forgotten that block, only what comes from now on is found.
  const before = (await tryRequest(readBalances(reader, unread, first))) ?? newest;
  const getEarlier = (one: Address) =>
    balances.get(one) ?? { number: first, amount: before.get(one) ?? 0n };
  const gained = new Map(
    [...open].filter(([one, least]) =>
      matters(least, (newest.get(one) ?? 0n) - getEarlier(one).amount),
    ),
  );
  const since = Math.min(...[...gained.keys()].map((one) => getEarlier(one).number));
  const from = Math.max(since, number - BLOCKS_MAX);
  const gains = gained.size === 0 ? [] : await findBlocks(reader, gained, { from, head });
  if (balances.size > BALANCES_MAX) balances.clear();
  for (const [recipient, amount] of newest) balances.set(recipient, { number, amount });
  return gains;
}

/** Traces cost a provider much, so nobody causes them for dust. */
function matters(least: Amount, gain: bigint): boolean {
  return gain > 0n && !isDust(least, toAmount(gain));
}

async function readBalances(
  reader: Reader,
  accounts: readonly Address[],
  number: number,
): Promise<Map<Address, Amount>> {
  const asked = accounts.map((account) => ({ account, currency: NATIVE }));
  const amounts = asked.length === 0 ? [] : await reader.holdings(asked, number);
  return new Map(
    accounts.flatMap((account, at) => {
      const amount = amounts[at];
      return amount === null || amount === undefined ? [] : [[account, amount] as const];
    }),
  );
}

async function findBlocks(
  reader: Reader,
  gained: ReadonlyMap<Address, Amount>,
  { from, head }: { from: number; head: Place["head"] },
): Promise<Gain[]> {
  const numbers = Array.from({ length: head.number - from }, (_, at) => from + 1 + at);
  const blocks = await reader.accountBlocks(numbers, new Set(gained.keys()));
  const recipients = [...gained.keys()];
  let before = await readBalances(reader, recipients, from);
  const gains: Gain[] = [];
  for (const block of blocks) {
    if (block === null || (block.number === head.number && block.hash !== head.hash)) {
      throw implausible(reader, "another block than the followed one");
    }
    const after = await readBalances(reader, recipients, block.number);
    const amounts = new Map(
      [...gained].flatMap(([recipient, least]) => {
        const gain = (after.get(recipient) ?? 0n) - (before.get(recipient) ?? 0n);
        const rest = gain - sumDirect(block, recipient);
        return matters(least, rest) ? [[recipient, rest] as const] : [];
      }),
    );
    before = after;
    if (amounts.size > 0) gains.push({ block, amounts });
  }
  return gains;
}

/** What transactions carried to the account, less what its own carried away. */
function sumDirect({ transactions }: AccountBlock, account: Address): bigint {
  return transactions.reduce(
    (sum, { from, to, value }) =>
      sum + (to === account ? value : 0n) - (from === account ? value : 0n),
    0n,
  );
}

/** Until what each recipient gained is explained; undefined where the provider does not trace. */
async function traceBlock(
  reader: Reader,
  { block: { number, hash, timestamp, txHashes }, amounts }: Gain,
): Promise<SettledTransfer[] | undefined> {
  const place = { blockNumber: number, blockHash: hash, blockTime: new Date(timestamp * 1_000) };
  const left = new Map(amounts);
  const found: SettledTransfer[] = [];
  for (let at = 0; at < txHashes.length && left.size > 0; at += TRACES_AT_ONCE) {
    const page = txHashes.slice(at, at + TRACES_AT_ONCE);
    const roots = await Promise.all(page.map((txHash) => reader.trace(txHash)));
    for (const [nth, txHash] of page.entries()) {
      const root = roots[nth];
      if (root === undefined) return undefined;
      const transfers = innerTransfers(txHash, root);
      const names = await readNames(reader, { txHash, root, transfers });
      for (const transfer of transfers) {
        const rest = left.get(transfer.recipient);
        if (rest === undefined) continue;
        found.push({ ...transfer, ...place, reference: names.get(transfer) });
        if (rest > transfer.value) left.set(transfer.recipient, rest - transfer.value);
        else left.delete(transfer.recipient);
      }
    }
  }
  return found;
}

interface Traced {
  txHash: TxHash;
  root: Frame;
  transfers: readonly Transfer[];
}

/** Only where the call of the transaction proves that the names are in it. */
async function readNames(reader: Reader, { txHash, root, transfers }: Traced) {
  const names = readInnerNames(root, transfers);
  if (names.size === 0) return names;
  const { calls } = await reader.hits([txHash], []);
  return chooseCall(calls) === null ? new Map<Transfer, PaymentReference>() : names;
}
