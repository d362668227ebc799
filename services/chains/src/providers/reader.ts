// The questions this service asks a chain, each answered by one provider with decoded values. Null means "this
// provider does not know it", which is no statement about the chain.

import { NATIVE, TRANSFER_TOPIC } from "../domain/transfer.ts";
import {
  type Block,
  type BlockWithTransactions,
  decodeBlock,
  decodeBytes,
  decodeCount,
  decodeFrame,
  decodeFullBlock,
  decodeHash,
  decodeQuantity,
  decodeReceipt,
  decodeTransaction,
  type Frame,
  type Receipt,
  type Transaction,
} from "./decode.ts";
import {
  type AccountBlock,
  decodeAccountBlock,
  decodeTransferLogs,
  decodeValueBlock,
  type LogQuery,
  type RawTransfer,
  type ValueBlock,
} from "./decode-logs.ts";
import { type Call, RpcError } from "./endpoint.ts";

export type BlockTag = "latest" | "safe" | "finalized";

export interface Reader {
  readonly name: string;
  chainId(): Promise<number>;
  receipt(txHash: string): Promise<Receipt | null>;
  transaction(txHash: string): Promise<Transaction | null>;
  block(at: number | BlockTag): Promise<Block | null>;
  fullBlock(number: number): Promise<BlockWithTransactions | null>;
  /** Transfers of the tokens, to any recipient or to these. */
  transfers(query: LogQuery, recipients?: readonly string[]): Promise<RawTransfer[]>;
  /** Transfers of the tokens that these accounts sent. */
  sentTransfers(query: LogQuery, senders: readonly string[]): Promise<RawTransfer[]>;
  /** Blocks by number with the native coin that their transactions carry; null for those it does not know. */
  valueBlocks(numbers: readonly number[]): Promise<(ValueBlock | null)[]>;
  blocks(numbers: readonly number[]): Promise<(Block | null)[]>;
  /** Transfers with the heads of some blocks, in one request: one node behind the address answers for all of it. */
  transfersWith(query: LogQuery, numbers: readonly number[]): Promise<TransfersWith>;
  /** Receipts with the heads of some blocks. */
  receiptsWith(txHashes: readonly string[], numbers: readonly number[]): Promise<ReceiptsWith>;
  receipts(txHashes: readonly string[]): Promise<(Receipt | null)[]>;
  /** Blocks by number with the transactions from or to the accounts; null for those it does not know. */
  accountBlocks(
    numbers: readonly number[],
    accounts: ReadonlySet<string>,
  ): Promise<(AccountBlock | null)[]>;
  /** What accounts hold of a currency at a block, in base units; null of a token that was not there yet. */
  holdings(asked: readonly Holding[], block: number): Promise<(bigint | null)[]>;
  /** How many transactions each of the accounts had sent at a block. */
  nonces(accounts: readonly string[], block: number): Promise<number[]>;
  /** How many transactions the account had sent at that block. */
  transactionCount(account: string, at: number | "latest" | "pending"): Promise<number>;
  /** The execution of a transaction; undefined where the provider cannot tell it. */
  trace(txHash: string): Promise<Frame | undefined>;
  /** The code of the account, at the head or after that block. */
  code(account: string, at?: number): Promise<string>;
  /** Runs a view function at the head. */
  view(contract: string, data: string): Promise<string>;
  /** Native coin of the account, at the head or after that block. */
  balance(account: string, at?: number): Promise<bigint>;
  /** What the execution of each call would answer at the head. */
  attempts(calls: readonly TransactionCall[]): Promise<(string | RpcError)[]>;
  gasEstimates(calls: readonly TransactionCall[]): Promise<(bigint | RpcError)[]>;
  /** What the node proposes to pay the builder of a block, per gas. */
  priorityFee(): Promise<bigint>;
  /** Gives signed transactions to the node in this order; their hashes. */
  send(raws: readonly string[]): Promise<(string | RpcError)[]>;
}

export interface TransfersWith {
  transfers: RawTransfer[];
  blocks: (Block | null)[];
}

export interface ReceiptsWith {
  receipts: (Receipt | null)[];
  blocks: (Block | null)[];
}

export interface Holding {
  account: string;
  /** "native" or a token. */
  currency: string;
}

/** Hex throughout. */
export interface TransactionCall {
  from: string;
  to: string;
  value: string;
  data: string;
}

function hex(number: number) {
  return `0x${number.toString(16)}`;
}

function wordOf(address: string) {
  return `0x${"0".repeat(24)}${address.slice(2)}`;
}

function logsCall({ fromBlock, toBlock, tokens }: LogQuery, topics: readonly unknown[]): Call {
  const filter = { fromBlock: hex(fromBlock), toBlock: hex(toBlock), topics };
  return { method: "eth_getLogs", params: [{ ...filter, address: [...tokens] }] };
}

function wholeCall(number: number): Call {
  return { method: "eth_getBlockByNumber", params: [hex(number), true] };
}

function headCall(number: number): Call {
  return { method: "eth_getBlockByNumber", params: [hex(number), false] };
}

/** Null where the provider does not know it; undefined where it tells of another one. */
function decodeHead(answer: unknown, asked: number | undefined): Block | null | undefined {
  const found = answer === null ? null : decodeBlock(answer);
  return found === null || found?.number === asked ? found : undefined;
}

function receiptCall(txHash: string): Call {
  return { method: "eth_getTransactionReceipt", params: [txHash] };
}

function decodeReceiptOrNull(answer: unknown, txHash = ""): Receipt | null | undefined {
  return answer === null ? null : decodeReceipt(answer, txHash);
}

function areAllDecoded<T>(decoded: readonly (T | undefined)[]): decoded is T[] {
  return !decoded.includes(undefined);
}

function place(at: number | BlockTag | "pending") {
  return typeof at === "number" ? hex(at) : at;
}

/** keccak256("balanceOf(address)"), its first four bytes. */
const BALANCE_OF = "0x70a08231";

function holdingCall({ account, currency }: Holding, block: string): Call {
  if (currency === NATIVE) return { method: "eth_getBalance", params: [account, block] };
  const data = `${BALANCE_OF}${wordOf(account).slice(2)}`;
  return { method: "eth_call", params: [{ to: currency, data }, block] };
}

/** Asks one provider; undefined from the decoder means that the answer cannot be true. */
export type Query = <T>(
  method: string,
  params: readonly unknown[],
  decode: (answer: unknown) => T | undefined,
) => Promise<T>;

/** The same for many calls at once, in requests of a bounded size. */
export type QueryMany = <T>(
  calls: readonly Call[],
  decode: (answer: unknown, at: number) => T | undefined,
  paging?: Paging,
) => Promise<T[]>;

/** The same for calls that travel as one request, whose answers make sense only together. */
export type QueryAll = <T>(
  calls: readonly Call[],
  decode: (answers: readonly unknown[]) => T | undefined,
) => Promise<T>;

/** Calls in one request, the first one and any. */
export interface Paging {
  readonly start: number;
  readonly max: number;
}

/** The same where each call has its own end; an error of the whole request stands in each place. */
export type QueryEach = <T>(
  calls: readonly Call[],
  decode: (answer: unknown) => T | undefined,
) => Promise<(T | RpcError)[]>;

export interface Queries {
  ask: Query;
  askAll: QueryAll;
  askMany: QueryMany;
  askEach: QueryEach;
}

export function createReader(name: string, { ask, askAll, askMany, askEach }: Queries): Reader {
  function askOrNull<T>(
    method: string,
    params: readonly unknown[],
    decode: (answer: unknown) => T | undefined,
  ) {
    return ask<T | null>(method, params, (answer) => (answer === null ? null : decode(answer)));
  }

  function askLogs(query: LogQuery, topics: readonly unknown[]) {
    const { method, params } = logsCall(query, topics);
    return ask(method, params, (answer) => decodeTransferLogs(answer, query));
  }

  async function askBlock<B extends Block>(
    at: number | BlockTag,
    full: boolean,
    decode: (answer: unknown) => B | undefined,
  ): Promise<B | null> {
    return askOrNull("eth_getBlockByNumber", [place(at), full], (answer) => {
      const found = decode(answer);
      return typeof at === "string" || found?.number === at ? found : undefined;
    });
  }

  return {
    name,
    chainId: () => ask("eth_chainId", [], decodeCount),
    receipt: (txHash) =>
      askOrNull("eth_getTransactionReceipt", [txHash], (answer) => decodeReceipt(answer, txHash)),
    transaction: (txHash) =>
      askOrNull("eth_getTransactionByHash", [txHash], (answer) =>
        decodeTransaction(answer, txHash),
      ),
    block: (at) => askBlock(at, false, decodeBlock),
    fullBlock: (number) => askBlock(number, true, decodeFullBlock),
    transfers: (query, recipients) =>
      askLogs(query, [TRANSFER_TOPIC, ...(recipients ? [null, recipients.map(wordOf)] : [])]),
    transfersWith: (query, numbers) =>
      askAll([logsCall(query, [TRANSFER_TOPIC]), ...numbers.map(headCall)], ([logs, ...heads]) => {
        const transfers = decodeTransferLogs(logs, query);
        const blocks = heads.map((answer, at) => decodeHead(answer, numbers[at]));
        if (transfers === undefined || !areAllDecoded(blocks)) return undefined;
        return { transfers, blocks };
      }),
    sentTransfers: (query, senders) => askLogs(query, [TRANSFER_TOPIC, senders.map(wordOf)]),
    ...createListReader(askMany),
    transactionCount: (account, at) =>
      ask("eth_getTransactionCount", [account, place(at)], decodeCount),
    trace: async (txHash) => {
      try {
        const options = { tracer: "callTracer" };
        return await ask("debug_traceTransaction", [txHash, options], decodeFrame);
      } catch (error) {
        if (error instanceof RpcError) return undefined;
        throw error;
      }
    },
    code: (account, at) => ask("eth_getCode", [account, place(at ?? "latest")], decodeBytes),
    view: (contract, data) => ask("eth_call", [{ to: contract, data }, "latest"], decodeBytes),
    balance: (account, at) =>
      ask("eth_getBalance", [account, place(at ?? "latest")], decodeQuantity),
    priorityFee: () => ask("eth_maxPriorityFeePerGas", [], decodeQuantity),
    ...createTransactionReader(askEach),
  };
}

function createTransactionReader(
  askEach: QueryEach,
): Pick<Reader, "attempts" | "gasEstimates" | "send"> {
  return {
    attempts: (calls) =>
      askEach(
        calls.map((call) => ({ method: "eth_call", params: [call, "latest"] })),
        decodeBytes,
      ),
    gasEstimates: (calls) =>
      askEach(
        calls.map((call) => ({ method: "eth_estimateGas", params: [call] })),
        decodeQuantity,
      ),
    send: (raws) =>
      askEach(
        raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })),
        decodeHash,
      ),
  };
}

const SMALL: Paging = { start: 100, max: 100 };
/** Whole blocks differ much in size. */
const LARGE: Paging = { start: 10, max: 50 };

type ListReader = Pick<
  Reader,
  "valueBlocks" | "blocks" | "receipts" | "receiptsWith" | "accountBlocks" | "holdings" | "nonces"
>;

function createListReader(askMany: QueryMany): ListReader {
  async function receiptsWith(txHashes: readonly string[], numbers: readonly number[]) {
    const count = txHashes.length;
    const answers = await askMany<Receipt | Block | null>(
      [...txHashes.map(receiptCall), ...numbers.map(headCall)],
      (answer, at) =>
        at < count
          ? decodeReceiptOrNull(answer, txHashes[at])
          : decodeHead(answer, numbers[at - count]),
      SMALL,
    );
    return {
      receipts: answers.slice(0, count) as (Receipt | null)[],
      blocks: answers.slice(count) as (Block | null)[],
    };
  }

  return {
    valueBlocks: (numbers) =>
      askMany<ValueBlock | null>(
        numbers.map(wholeCall),
        (answer, at) => (answer === null ? null : decodeValueBlock(answer, numbers[at] ?? -1)),
        LARGE,
      ),
    blocks: async (numbers) => (await receiptsWith([], numbers)).blocks,
    receipts: async (txHashes) => (await receiptsWith(txHashes, [])).receipts,
    receiptsWith,
    accountBlocks: (numbers, accounts) =>
      askMany<AccountBlock | null>(
        numbers.map(wholeCall),
        (answer, at) =>
          answer === null ? null : decodeAccountBlock(answer, numbers[at] ?? -1, accounts),
        LARGE,
      ),
    holdings: (asked, block) =>
      askMany<bigint | null>(
        asked.map((one) => holdingCall(one, hex(block))),
        // A contract that was not there at that block answers with nothing.
        (answer) => (answer === "0x" ? null : decodeQuantity(answer)),
      ),
    nonces: (accounts, block) =>
      askMany<number>(
        accounts.map((account) => ({
          method: "eth_getTransactionCount",
          params: [account, hex(block)],
        })),
        decodeCount,
      ),
  };
}
