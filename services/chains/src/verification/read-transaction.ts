// Reads a transaction and turns it into facts. All requests of a reading go to one provider, because two may be at
// different blocks, and receipt and block must match. The head is read first, so no depth is overestimated.

import type { Address, PaymentReference, TxHash } from "@pay/values";
import type { Heights } from "../catalog/domain/finality.ts";
import type { Frame, Receipt, Transaction } from "../providers/decode.ts";
import { type Call, readInnerNames, readName } from "../providers/domain/call.ts";
import {
  getKey,
  innerTransfers,
  NATIVE,
  nativeTransfer,
  type Transfer,
  tokenTransfers,
} from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import { isTarget, type Target } from "./domain/transaction.ts";

export interface Names {
  /** Where it may name a payment. */
  call: Call | null;
  /** Names that contract wallets gave in calls of their own; undefined where no trace was needed, or to be had. */
  inner: ReadonlyMap<string, PaymentReference> | undefined;
}

/** What the transaction did. */
export interface Facts extends Names {
  succeeded: boolean;
  blockTime: Date;
  transfers: readonly Transfer[];
  /** False where contracts may have moved native coin and no provider could tell. */
  complete: boolean;
}

export interface Mined {
  kind: "mined";
  facts: Facts;
  /** Undefined where the provider does not tell it. */
  sentBy: { address: Address; nonce: number } | undefined;
  blockNumber: number;
  blockHash: string;
  heights: Heights;
}

export type Reading =
  | Mined
  /** Known but not in a block. */
  | { kind: "pending"; from: Address; nonce: number }
  /** This provider has no such transaction. */
  | { kind: "missing" }
  /** The responses do not match: the chain moved between them, or the provider is faulty. */
  | { kind: "unsettled" };

export interface TransactionQuery {
  txHash: TxHash;
  targets: readonly Target[];
  /** The tokens that count. */
  listed: ReadonlySet<Address>;
}

/** Gas of a transaction that executes no code. */
const PLAIN_GAS = 21_000n;

export async function readTransaction(
  cache: ChainHeadCache,
  query: TransactionQuery,
): Promise<Reading> {
  const { txHash, targets, listed } = query;
  const { reader } = cache;
  const heights = await cache.heights();
  const receipt = await reader.receipt(txHash);
  if (receipt === null) {
    const waiting = await reader.transaction(txHash);
    if (waiting === null) return { kind: "missing" };
    return { kind: "pending", from: waiting.from, nonce: waiting.nonce };
  }
  const { blockNumber, blockHash } = receipt;
  // A transaction that goes straight to the recipient may carry native coin where a token is due.
  const carriesValue = targets.some(
    ({ recipient, currency }) => currency === NATIVE || receipt.to === recipient,
  );
  const [block, transaction] = await Promise.all([
    cache.block(blockNumber),
    carriesValue ? reader.transaction(txHash) : tryRequest(reader.transaction(txHash)),
  ]);
  if (block?.hash !== blockHash) return { kind: "unsettled" };
  if (carriesValue && transaction?.blockHash !== blockHash) return { kind: "unsettled" };
  const succeeded = receipt.status === "0x1";
  const native =
    transaction && carriesValue && succeeded
      ? await readNativeFacts(reader, query, receipt, transaction)
      : { transfers: [], complete: true };
  const call = transaction?.call ?? null;
  const transfers = [...native.transfers, ...tokenTransfers(txHash, receipt.logs, listed)];
  const isNameless = transfers.some(
    (transfer) => isTarget(targets, transfer) && readName(call, transfer) === undefined,
  );
  const root =
    call !== null && isNameless ? (native.root ?? (await reader.trace(txHash))) : undefined;
  const facts: Facts = {
    succeeded,
    blockTime: new Date(block.timestamp * 1_000),
    transfers,
    complete: native.complete,
    call,
    inner: root && readNames(root, transfers),
  };
  const sentBy = transaction ? { address: transaction.from, nonce: transaction.nonce } : undefined;
  return { kind: "mined", facts, sentBy, blockNumber, blockHash, heights };
}

/** Native coin leaves no log: transfers of contracts are in a trace of the execution only. */
async function readNativeFacts(
  reader: Reader,
  { txHash, targets }: TransactionQuery,
  receipt: Receipt,
  transaction: Transaction,
): Promise<Pick<Facts, "transfers" | "complete"> & { root?: Frame }> {
  const direct = nativeTransfer(txHash, {
    from: transaction.from,
    to: receipt.to,
    value: transaction.value,
  });
  const suffices = targets.every(
    ({ recipient, currency }) =>
      currency !== NATIVE || direct.some((transfer) => transfer.recipient === recipient),
  );
  if (suffices) return { transfers: direct, complete: true };
  if (await isPlainTransfer(reader, receipt, transaction))
    return { transfers: direct, complete: true };
  const root = await reader.trace(txHash);
  if (root === undefined || !isTopFrame(root, transaction))
    return { transfers: direct, complete: false };
  return { transfers: [...direct, ...innerTransfers(txHash, root)], complete: true, root };
}

function readNames(root: Frame, transfers: readonly Transfer[]): Map<string, PaymentReference> {
  const names = readInnerNames(root, transfers);
  return new Map([...names].map(([transfer, name]) => [getKey(transfer), name]));
}

async function isPlainTransfer(reader: Reader, receipt: Receipt, transaction: Transaction) {
  if (receipt.to === null || transaction.input !== "0x") return false;
  return receipt.gasUsed === PLAIN_GAS || (await reader.code(receipt.to)) === "0x";
}

function isTopFrame(root: Frame, { from, to, value }: Transaction): boolean {
  return root.from === from && root.value === value && (!to || root.to === to);
}

/** The most informative response, the preferred provider's first; undefined where no provider responded. */
export async function readFromProviders(
  caches: readonly ChainHeadCache[],
  query: TransactionQuery,
): Promise<{ found: Reading; cache: ChainHeadCache } | undefined> {
  let best: { found: Reading; cache: ChainHeadCache } | undefined;
  for (const cache of caches) {
    const found = await tryRequest(readTransaction(cache, query));
    if (found === undefined) continue;
    if (found.kind === "mined" && found.facts.complete) return { found, cache };
    if (best === undefined || INFORMATION[found.kind] > INFORMATION[best.found.kind])
      best = { found, cache };
  }
  return best;
}

const INFORMATION = { missing: 0, unsettled: 1, pending: 2, mined: 3 } as const;
