// What a provider says, checked before it is believed: every answer must be about what was asked and agree with
// itself. An answer that does not is a fault of the provider, never a fact about a payment.
import {
  type Address,
  type Amount,
  type TxHash,
  toAddress,
  toAmount,
  toHex,
  toTxHash,
  ZERO_AMOUNT,
} from "@pay/values";
import { keccak256 } from "ethers";
import { z } from "zod";
import { readFilter } from "./bloom.ts";
import { decodeCall } from "./decode-call.ts";
import type { Call } from "./domain/call.ts";

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => BigInt(text));
const count = quantity.refine((value) => value <= Number.MAX_SAFE_INTEGER).transform(Number);
const amount = quantity.transform(toAmount);
const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform(toHex);
const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/);
/** Of a block, or a topic. */
const hash = word.transform(toHex);
const txHash = word.transform(toTxHash);
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(toAddress);
const bloom = z.string().regex(/^0x[0-9a-fA-F]{512}$/);

const simulation = z.array(z.object({ calls: z.array(z.object({ returnData: bytes })) }));

const log = z.object({
  address,
  topics: z.array(hash).max(4),
  data: bytes,
  blockHash: hash,
  transactionHash: txHash,
  logIndex: count,
  removed: z.boolean().nullish(),
});

const receipt = z.object({
  transactionHash: txHash,
  blockHash: hash,
  blockNumber: count,
  from: address,
  to: address.nullable(),
  status: z.enum(["0x0", "0x1"]),
  gasUsed: quantity,
  effectiveGasPrice: quantity.nullish(),
  /** What a rollup takes for its data besides. */
  l1Fee: quantity.nullish(),
  logs: z.array(log),
  logsBloom: bloom,
});

const transaction = z.object({
  hash: txHash,
  from: address,
  to: address.nullish(),
  value: amount,
  nonce: count,
  input: bytes,
  blockHash: hash.nullish(),
});

const block = z.object({
  number: count,
  hash,
  parentHash: hash,
  timestamp: count,
  baseFeePerGas: quantity.nullish(),
  logsBloom: bloom.optional().catch(undefined),
});
const blockWithTransactions = block.extend({
  transactions: z.array(z.object({ hash: txHash, from: address, nonce: count })),
});

export type Receipt = z.infer<typeof receipt>;
export interface Transaction extends z.infer<typeof transaction> {
  /** Where it may name a payment. */
  call: Call | null;
}
export type Block = z.infer<typeof block>;
export type BlockWithTransactions = z.infer<typeof blockWithTransactions>;

/** One step of a transaction's execution, as geth's callTracer tells it. */
export interface Frame {
  type: string;
  from: Address;
  to: Address | undefined;
  value: Amount;
  /** Hex without 0x. */
  input: string;
  failed: boolean;
  calls: Frame[];
}

const frame: z.ZodType<Frame> = z
  .object({
    type: z.string(),
    from: address,
    to: address.nullish(),
    value: amount.nullish(),
    input: bytes.nullish(),
    error: z.string().nullish(),
    get calls() {
      return z.array(frame).nullish();
    },
  })
  .transform(({ type, from, to, value, input, error, calls }) => ({
    type: type.toUpperCase(),
    from,
    to: to ?? undefined,
    value: value ?? ZERO_AMOUNT,
    input: input?.slice(2) ?? "",
    failed: typeof error === "string" && error !== "",
    calls: calls ?? [],
  }));

/** Undefined: the answer cannot be true. */
type Decoded<T> = T | undefined;

function read<T>(schema: z.ZodType<T>, answer: unknown): Decoded<T> {
  const result = schema.safeParse(answer);
  return result.success ? result.data : undefined;
}

export function decodeCount(answer: unknown): Decoded<number> {
  return read(count, answer);
}

export function decodeQuantity(answer: unknown): Decoded<bigint> {
  return read(quantity, answer);
}

export function decodeAmount(answer: unknown): Decoded<Amount> {
  return read(amount, answer);
}

export function decodeTxHash(answer: unknown): Decoded<TxHash> {
  return read(txHash, answer);
}

export function decodeBytes(answer: unknown): Decoded<string> {
  return read(bytes, answer);
}

/** Of each block the answers of its calls. */
export function decodeSimulation(answer: unknown): Decoded<string[][]> {
  return read(simulation, answer)?.map(({ calls }) => calls.map(({ returnData }) => returnData));
}

export function decodeFrame(answer: unknown): Decoded<Frame> {
  return read(frame, answer);
}

export function decodeBlock(answer: unknown): Decoded<Block> {
  return read(block, answer);
}

export function decodeFullBlock(answer: unknown): Decoded<BlockWithTransactions> {
  return read(blockWithTransactions, answer);
}

export function decodeTransaction(
  answer: unknown,
  asked: TxHash | undefined,
): Decoded<Transaction> {
  const found = read(transaction, answer);
  if (found === undefined || found.hash !== asked) return undefined;
  return { ...found, call: decodeCall(answer, found.hash) };
}

const logHashes = z.array(z.object({ transactionHash: hash }));

/** The transactions of logs. */
export function decodeLogHashes(answer: unknown): Decoded<string[]> {
  return read(logHashes, answer)?.map(({ transactionHash }) => transactionHash);
}

export function decodeReceipt(answer: unknown, asked: TxHash | undefined): Decoded<Receipt> {
  const found = read(receipt, answer);
  if (found === undefined || found.transactionHash !== asked) return undefined;
  return logsAgree(found) ? found : undefined;
}

function logsAgree({ transactionHash, blockHash, logs, logsBloom, status }: Receipt): boolean {
  let last = -1;
  for (const entry of logs) {
    // Indexes run through the block, so a gap means that a log is missing, and the places of the others would be wrong.
    if (entry.removed || (last >= 0 && entry.logIndex !== last + 1)) return false;
    if (entry.transactionHash !== transactionHash || entry.blockHash !== blockHash) return false;
    last = entry.logIndex;
  }
  if (status === "0x0") return logs.length === 0;
  // Some chains leave the bloom empty; where it says something, it and the logs must say the same.
  if (/^0x0+$/.test(logsBloom)) return true;
  if (logs.length === 0) return false;
  const filter = readFilter(logsBloom);
  // Thousands of logs repeat few addresses and topics.
  const items = new Set(logs.flatMap((entry) => [entry.address, ...entry.topics]));
  return [...items].every((item) => filter.has(item));
}

/** keccak256 of hex bytes. */
export function toDigest(bytes: string): string {
  return keccak256(bytes);
}
