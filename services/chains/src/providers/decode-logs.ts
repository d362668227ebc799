// Many logs and blocks at once, decoded by hand: a schema costs ten times as much for each of them as parsing its JSON.
// Only what the follower needs is read. A log or block that cannot be true makes the whole answer untrue.

import {
  type Address,
  type Amount,
  addressIn,
  type Currency,
  type TxHash,
  toAddress,
  toAmount,
  toHex,
  toTxHash,
} from "@pay/values";
import { NATIVE, TRANSFER_TOPIC } from "./domain/transfer.ts";

/** A transfer as it stands in an answer: nothing is converted before a recipient is watched. */
export interface RawTransfer {
  blockNumber: number;
  blockHash: string;
  txHash: TxHash;
  /** Place in its block; undefined for the value of a transaction. */
  logIndex: number | undefined;
  currency: Currency;
  sender: Address;
  recipient: Address;
  value: Amount;
}

interface RawLog {
  address?: unknown;
  topics?: unknown;
  data?: unknown;
  blockNumber?: unknown;
  blockHash?: unknown;
  transactionHash?: unknown;
  logIndex?: unknown;
  removed?: unknown;
}

const ADDRESS_CHARS = 42;
const WORD_CHARS = 66;
const TRANSFER_TOPICS = 3;

export interface LogQuery {
  fromBlock: number;
  toBlock: number;
  tokens: ReadonlySet<Address>;
}

/**
 * The ERC-20 transfers in an answer to eth_getLogs. Undefined: the answer cannot be true, because it is out of order,
 * outside the range, says two hashes of a block, or holds what was not asked for.
 */
export function decodeTransferLogs(answer: unknown, query: LogQuery): RawTransfer[] | undefined {
  if (!Array.isArray(answer)) return undefined;
  const { fromBlock, toBlock, tokens } = query;
  const names = new Map<string, Address>([...tokens].map((token) => [token, token]));
  const found: RawTransfer[] = [];
  let lastBlock = -1;
  let lastHash = "";
  let lastIndex = -1;
  for (const log of answer as RawLog[]) {
    const { address, topics, data, blockHash, transactionHash, removed } = log;
    const number = toCount(log.blockNumber);
    const index = toCount(log.logIndex);
    if (removed === true || number === undefined || index === undefined) return undefined;
    if (number < fromBlock || number > toBlock || number < lastBlock) return undefined;
    if (!isWord(blockHash) || !isWord(transactionHash)) return undefined;
    if (number === lastBlock && (blockHash !== lastHash || index <= lastIndex)) return undefined;
    lastBlock = number;
    // Each log brings its own copy of the name of its block, and of its token; one is kept.
    lastHash = blockHash === lastHash ? lastHash : blockHash;
    lastIndex = index;
    if (typeof address !== "string" || address.length !== ADDRESS_CHARS) return undefined;
    if (!Array.isArray(topics) || topics[0] !== TRANSFER_TOPIC) return undefined;
    const currency = names.get(address) ?? names.get(toAddress(address));
    if (currency === undefined) return undefined;
    // An ERC-721 event has the same name and another form.
    if (topics.length !== TRANSFER_TOPICS || !isWord(data)) continue;
    const sender = addressInTopic(topics[1]);
    const recipient = addressInTopic(topics[2]);
    if (sender === undefined || recipient === undefined) continue;
    const value = toAmount(BigInt(data));
    if (value === 0n) continue;
    found.push({
      blockNumber: number,
      blockHash: toHex(lastHash),
      logIndex: index,
      txHash: toTxHash(transactionHash),
      currency,
      sender,
      recipient,
      value,
    });
  }
  return found;
}

/** A block with the transactions in it that carry native coin. */
export interface ValueBlock {
  number: number;
  hash: string;
  parentHash: string;
  timestamp: number;
  transfers: RawTransfer[];
}

interface RawBlock {
  number?: unknown;
  hash?: unknown;
  parentHash?: unknown;
  timestamp?: unknown;
  transactions?: unknown;
}

interface RawTransaction {
  hash?: unknown;
  from?: unknown;
  to?: unknown;
  value?: unknown;
}

/** Undefined: the answer cannot be true. */
export function decodeValueBlock(answer: unknown, asked: number): ValueBlock | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { hash, parentHash, transactions, ...block } = answer as RawBlock;
  const timestamp = toCount(block.timestamp);
  if (toCount(block.number) !== asked || timestamp === undefined) return undefined;
  if (!isWord(hash) || !isWord(parentHash) || !Array.isArray(transactions)) return undefined;
  const transfers: RawTransfer[] = [];
  for (const { hash: txHash, from, to, value } of transactions as RawTransaction[]) {
    if (!isWord(txHash) || !isAddress(from) || typeof value !== "string") return undefined;
    if (value === "0x0" || to === null || to === undefined) continue;
    if (!isAddress(to) || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) return undefined;
    transfers.push({
      blockNumber: asked,
      blockHash: toHex(hash),
      txHash: toTxHash(txHash),
      logIndex: undefined,
      currency: NATIVE,
      value: toAmount(BigInt(value)),
      sender: toAddress(from),
      recipient: toAddress(to),
    });
  }
  return { number: asked, timestamp, transfers, hash: toHex(hash), parentHash: toHex(parentHash) };
}

/** A block with the transactions from or to these accounts, and the hashes of all. */
export interface AccountBlock {
  number: number;
  hash: string;
  timestamp: number;
  transactions: AccountTransaction[];
  txHashes: TxHash[];
}

export interface AccountTransaction {
  hash: TxHash;
  from: Address;
  to: Address | null;
  value: Amount;
}

/** Undefined: the answer cannot be true. */
export function decodeAccountBlock(
  answer: unknown,
  asked: number,
  accounts: ReadonlySet<Address>,
): AccountBlock | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { hash, transactions, ...block } = answer as RawBlock;
  const timestamp = toCount(block.timestamp);
  if (toCount(block.number) !== asked || timestamp === undefined) return undefined;
  if (!isWord(hash) || !Array.isArray(transactions)) return undefined;
  const found: AccountTransaction[] = [];
  const txHashes: TxHash[] = [];
  for (const { hash: txHash, from, to, value } of transactions as RawTransaction[]) {
    if (!isWord(txHash) || !isAddress(from) || typeof value !== "string") return undefined;
    const ownHash = toTxHash(txHash);
    txHashes.push(ownHash);
    const recipient = to ?? null;
    if (recipient !== null && !isAddress(recipient)) return undefined;
    const parties = { from: toAddress(from), to: recipient === null ? null : toAddress(recipient) };
    if (!accounts.has(parties.from) && (parties.to === null || !accounts.has(parties.to))) continue;
    if (!/^0x[0-9a-fA-F]{1,64}$/.test(value)) return undefined;
    found.push({ hash: ownHash, ...parties, value: toAmount(BigInt(value)) });
  }
  return { number: asked, hash: toHex(hash), timestamp, transactions: found, txHashes };
}

function isWord(text: unknown): text is string {
  return typeof text === "string" && text.length === WORD_CHARS && text.startsWith("0x");
}

function isAddress(text: unknown): text is string {
  return typeof text === "string" && text.length === ADDRESS_CHARS && text.startsWith("0x");
}

function addressInTopic(word: unknown): Address | undefined {
  return typeof word === "string" ? addressIn(word) : undefined;
}

function toCount(text: unknown): number | undefined {
  if (typeof text !== "string" || !text.startsWith("0x")) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
