// Reads the next blocks of a chain from one provider: all transfers of the tokens, and all native coin that
// transactions carry where a payment waits for it. They are matched with payments in memory, so the requests do not
// depend on the number of open payments. Responses that contradict each other are rejected.
import type { Address, TxHash } from "@pay/values";
import { readFilter } from "../providers/bloom.ts";
import type { Block, Receipt } from "../providers/decode.ts";
import type { RawTransfer } from "../providers/decode-logs.ts";
import { type Call, chooseCall, readInnerNames, readName } from "../providers/domain/call.ts";
import {
  nativeTransfer,
  TRANSFER_TOPIC,
  type Transfer,
  tokenTransfers,
} from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError } from "../providers/rpc-error.ts";
import type { SettledTransfer } from "../verification/domain/transaction.ts";
import type { FollowedBlock } from "./storage/steps.ts";

/** The newest block of the provider, where it was read just now; else only its height is known. */
export interface Tip {
  number: number;
  block: Block | undefined;
}

export interface ScanTerms {
  /** The followed block that the next ones continue. */
  head: { number: number; hash: string };
  tip: Tip;
  blocksMax: number;
  /** Empty where no payment waits for a token. */
  tokens: ReadonlySet<Address>;
  withNative: boolean;
}

export interface Scanned {
  head: FollowedBlock;
  transfers: RawTransfer[];
  /** How many of them are logs. */
  logs: number;
  /** The last block has none of the tokens' logs, and its filter says that it may have some. */
  isDoubtful: boolean;
}

/** fork: the provider's chain does not contain the followed block. */
export type ScanResult = Scanned | "fork";

export async function scanNext(reader: Reader, terms: ScanTerms): Promise<ScanResult> {
  const { head, tip, tokens, withNative } = terms;
  const from = head.number + 1;
  const to = Math.min(tip.number, head.number + terms.blocksMax);
  const newest = to === tip.number ? tip.block : undefined;
  const isNext = to === from;
  const numbers = [...(newest ? [] : [to]), ...(isNext ? [] : [head.number])];
  const query = { fromBlock: from, toBlock: to, tokens };
  const { transfers: logs, blocks } =
    tokens.size > 0
      ? await reader.transfersWith(query, numbers)
      : { transfers: [], blocks: await reader.blocks(numbers) };
  const last = newest ?? blocks[0];
  if (!last) throw implausible(reader, "a block below its head is missing");
  if (isNext ? last.parentHash !== head.hash : blocks.at(-1)?.hash !== head.hash) return "fork";
  const native = withNative ? await readNative(reader, { head, last }) : [];
  const isOfLast = logs.every(
    ({ blockNumber, blockHash }) => blockNumber !== to || blockHash === last.hash,
  );
  if (!isOfLast) throw implausible(reader, "logs of another block");
  const isEmpty = logs.every(({ blockNumber }) => blockNumber !== to);
  return {
    head: toFollowed(last),
    transfers: [...logs, ...native],
    logs: logs.length,
    isDoubtful: isEmpty && mayHold(last, tokens),
  };
}

function mayHold({ logsBloom }: Block, tokens: ReadonlySet<Address>): boolean {
  if (logsBloom === undefined || tokens.size === 0) return false;
  const filter = readFilter(logsBloom);
  return (
    filter.isTelling && filter.has(TRANSFER_TOPIC) && [...tokens].some((token) => filter.has(token))
  );
}

async function readNative(
  reader: Reader,
  { head, last }: { head: ScanTerms["head"]; last: Block },
): Promise<RawTransfer[]> {
  const numbers = Array.from(
    { length: last.number - head.number },
    (_, at) => head.number + 1 + at,
  );
  let parent = head.hash;
  const found: RawTransfer[] = [];
  for (const block of await reader.valueBlocks(numbers)) {
    if (block?.parentHash !== parent) throw implausible(reader, "blocks that do not continue");
    parent = block.hash;
    for (const transfer of block.transfers) found.push(transfer);
  }
  if (parent !== last.hash) throw implausible(reader, "blocks that do not lease to its head");
  return found;
}

export interface Hits {
  transfers: SettledTransfer[];
  blocks: FollowedBlock[];
}

/**
 * Transfers of these transactions to watched recipients, from their receipts: their places inside the transaction, what
 * its call names, and nothing that failed.
 */
export async function readHits(
  reader: Reader,
  hits: readonly RawTransfer[],
  { tokens, isWatched }: { tokens: ReadonlySet<Address>; isWatched(transfer: Transfer): boolean },
): Promise<Hits> {
  const txHashes = [...new Set(hits.map(({ txHash }) => txHash))];
  const blockHashes = new Map(hits.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]));
  const { receipts, calls, blocks: heads } = await reader.hits(txHashes, [...blockHashes.keys()]);
  const blocks = new Map<string, FollowedBlock>();
  for (const block of heads) {
    if (block === null || blockHashes.get(block.number) !== block.hash) {
      throw implausible(reader, "a block that was replaced while it was read");
    }
    blocks.set(block.hash, toFollowed(block));
  }
  const natives = new Map(
    hits.flatMap((hit) => (hit.logIndex === undefined ? [[hit.txHash, hit]] : [])),
  );
  const found = receipts.map((receipt, at): Hit => {
    const block = receipt === null ? undefined : blocks.get(receipt.blockHash);
    if (receipt === null || block === undefined) {
      throw implausible(reader, "a receipt that does not fit its block");
    }
    const { transactionHash: txHash } = receipt;
    const call = chooseCall([calls[at] ?? null]);
    const transfers = transfersIn(receipt, natives.get(txHash), tokens).map((transfer) => ({
      ...transfer,
      reference: readName(call, transfer),
      blockNumber: block.number,
      blockHash: block.hash,
      blockTime: block.time,
    }));
    return { txHash, call, transfers };
  });
  await nameInnerTransfers(reader, found, isWatched);
  const transfers = found.flatMap((hit) => hit.transfers.filter(isWatched));
  return { transfers, blocks: [...blocks.values()] };
}

interface Hit {
  txHash: TxHash;
  call: Call | null;
  transfers: SettledTransfer[];
}

/** Traces cost a provider much. What is left over is named when it is verified. */
const TRACES_MAX = 20;

/** A contract wallet names its payments in calls of its own. */
async function nameInnerTransfers(
  reader: Reader,
  hits: readonly Hit[],
  isWatched: (transfer: Transfer) => boolean,
): Promise<void> {
  const nameless = hits.filter(
    ({ call, transfers }) =>
      call !== null && transfers.some((one) => one.reference === undefined && isWatched(one)),
  );
  await Promise.all(
    nameless.slice(0, TRACES_MAX).map(async ({ txHash, transfers }) => {
      const root = await reader.trace(txHash);
      if (root === undefined) return;
      for (const [transfer, name] of readInnerNames(root, transfers)) transfer.reference ??= name;
    }),
  );
}

function transfersIn(
  receipt: Receipt,
  native: RawTransfer | undefined,
  tokens: ReadonlySet<Address>,
): Transfer[] {
  if (receipt.status !== "0x1") return [];
  const { transactionHash, logs, from, to } = receipt;
  const carried =
    native === undefined ? [] : nativeTransfer(transactionHash, { from, to, value: native.value });
  return [...carried, ...tokenTransfers(transactionHash, logs, tokens)];
}

export function toFollowed({ number, hash, timestamp }: Block): FollowedBlock {
  return { number, hash, time: new Date(timestamp * 1_000) };
}

/** The provider moved on, or is faulty: the same blocks are read again, from another provider where there is one. */
export function implausible(reader: Reader, what: string): RpcError {
  return new RpcError("implausible", `${reader.name}: ${what}`);
}
