// The questions this service asks a chain, each answered by one provider with decoded values. Null means "this
// provider does not know it", which is no statement about the chain.
import type { Address, Amount, TxHash } from "@pay/values";
import { type BlockTag, headCall, logsCall, place, toWord } from "./calls.ts";
import {
  type Block,
  type BlockWithTransactions,
  decodeAmount,
  decodeBlock,
  decodeBytes,
  decodeCount,
  decodeFrame,
  decodeFullBlock,
  decodeLogHashes,
  decodeQuantity,
  decodeReceipt,
  decodeSimulation,
  decodeTransaction,
  decodeTxHash,
  type Frame,
  type Receipt,
  type Transaction,
} from "./decode.ts";
import { decodeTransferLogs, type LogQuery, type RawTransfer } from "./decode-logs.ts";
import { AUTHORIZATION_TOPIC, TRANSFER_TOPIC } from "./domain/transfer.ts";
import { createListReader, decodeHead, type ListReader } from "./list-reader.ts";
import type { Queries, QueryEach } from "./queries.ts";
import { RpcError } from "./rpc-error.ts";

/** Requests to one provider about one thing; lists are in ListReader. */
export interface Reader extends ListReader, TransactionReader {
  readonly name: string;
  chainId(): Promise<number>;
  receipt(txHash: TxHash): Promise<Receipt | null>;
  transaction(txHash: TxHash): Promise<Transaction | null>;
  block(at: number | BlockTag): Promise<Block | null>;
  fullBlock(number: number): Promise<BlockWithTransactions | null>;
  /** Transfers of the tokens, to any recipient or to these. */
  transfers(query: LogQuery, recipients?: readonly Address[]): Promise<RawTransfer[]>;
  /** Transfers of the tokens that these accounts sent. */
  sentTransfers(query: LogQuery, senders: readonly Address[]): Promise<RawTransfer[]>;
  /** Transfers with the heads of some blocks, in one request: one node behind the address answers for all of it. */
  transfersWith(query: LogQuery, numbers: readonly number[]): Promise<TransfersWith>;
  /** How many transactions the account had sent at that block. */
  transactionCount(account: Address, at: number | "latest" | "pending"): Promise<number>;
  /** The execution of a transaction; undefined where the provider cannot tell it. */
  trace(txHash: TxHash): Promise<Frame | undefined>;
  /** The code of the account, at the head or after that block. */
  code(account: Address, at?: number): Promise<string>;
  /** Runs a view function at the head, or after that block. */
  view(contract: Address, data: string, at?: number): Promise<string>;
  /** The transaction that spent an authorization of the payer; undefined where none did in these blocks. */
  authorizationUse(query: AuthorizationQuery): Promise<string | undefined>;
  /** Runs the code that would create a contract, at the head: its answer, which no chain keeps. */
  run(creation: string): Promise<string>;
  /** Native coin of the account, at the head or after that block. */
  balance(account: Address, at?: number): Promise<Amount>;
  /** What calls would answer in blocks that follow on the head, each with the balances that are set before it. */
  simulate(blocks: readonly SimulatedBlock[]): Promise<string[][]>;
  /** What the node proposes to pay the builder of a block, per gas. */
  priorityFee(): Promise<bigint>;
}

interface AuthorizationQuery extends Omit<LogQuery, "tokens"> {
  token: Address;
  payer: Address;
  nonce: string;
}

export interface SimulatedBlock {
  balances: Readonly<Record<Address, bigint>>;
  calls: readonly { from: Address; to: string; data: string; gas: bigint }[];
}

export interface TransfersWith {
  transfers: RawTransfer[];
  blocks: (Block | null)[];
}

interface TransactionReader {
  /** What the execution of each call would answer at the head. */
  attempts(calls: readonly TransactionCall[]): Promise<(string | RpcError)[]>;
  gasEstimates(calls: readonly TransactionCall[]): Promise<(bigint | RpcError)[]>;
  /** Gives signed transactions to the node in this order; their hashes. */
  send(raws: readonly string[]): Promise<(TxHash | RpcError)[]>;
}

/** Hex throughout. */
export interface TransactionCall {
  from: Address;
  to: string;
  value: string;
  data: string;
}

function areAllDecoded<T>(decoded: readonly (T | undefined)[]): decoded is T[] {
  return !decoded.includes(undefined);
}

export function createReader(
  name: string,
  { query, queryAll, queryMany, queryEach }: Queries,
): Reader {
  function queryOrNull<T>(
    method: string,
    params: readonly unknown[],
    decode: (answer: unknown) => T | undefined,
  ) {
    return query<T | null>(method, params, (answer) => (answer === null ? null : decode(answer)));
  }

  function queryLogs(filter: LogQuery, topics: readonly unknown[]) {
    const { method, params } = logsCall(filter, topics);
    return query(method, params, (answer) => decodeTransferLogs(answer, filter));
  }

  async function queryBlock<B extends Block>(
    at: number | BlockTag,
    full: boolean,
    decode: (answer: unknown) => B | undefined,
  ): Promise<B | null> {
    return queryOrNull("eth_getBlockByNumber", [place(at), full], (answer) => {
      const found = decode(answer);
      return typeof at === "string" || found?.number === at ? found : undefined;
    });
  }

  return {
    name,
    chainId: () => query("eth_chainId", [], decodeCount),
    receipt: (txHash) =>
      queryOrNull("eth_getTransactionReceipt", [txHash], (answer) => decodeReceipt(answer, txHash)),
    transaction: (txHash) =>
      queryOrNull("eth_getTransactionByHash", [txHash], (answer) =>
        decodeTransaction(answer, txHash),
      ),
    block: (at) => queryBlock(at, false, decodeBlock),
    fullBlock: (number) => queryBlock(number, true, decodeFullBlock),
    transfers: (query, recipients) =>
      queryLogs(query, [TRANSFER_TOPIC, ...(recipients ? [null, recipients.map(toWord)] : [])]),
    transfersWith: (query, numbers) =>
      queryAll(
        [logsCall(query, [TRANSFER_TOPIC]), ...numbers.map(headCall)],
        ([logs, ...heads]) => {
          const transfers = decodeTransferLogs(logs, query);
          const blocks = heads.map((answer, at) => decodeHead(answer, numbers[at]));
          if (transfers === undefined || !areAllDecoded(blocks)) return undefined;
          return { transfers, blocks };
        },
      ),
    sentTransfers: (query, senders) => queryLogs(query, [TRANSFER_TOPIC, senders.map(toWord)]),
    ...createListReader(queryMany),
    transactionCount: (account, at) =>
      query("eth_getTransactionCount", [account, place(at)], decodeCount),
    trace: async (txHash) => {
      try {
        const options = { tracer: "callTracer" };
        return await query("debug_traceTransaction", [txHash, options], decodeFrame);
      } catch (error) {
        if (error instanceof RpcError) return undefined;
        throw error;
      }
    },
    code: (account, at) => query("eth_getCode", [account, place(at ?? "latest")], decodeBytes),
    view: (contract, data, at) =>
      query("eth_call", [{ to: contract, data }, place(at ?? "latest")], decodeBytes),
    authorizationUse: async ({ token, payer, nonce, ...range }) => {
      const topics = [AUTHORIZATION_TOPIC, toWord(payer), nonce];
      const { method, params } = logsCall({ ...range, tokens: new Set([token]) }, topics);
      return (await query(method, params, decodeLogHashes))[0];
    },
    run: (creation) => query("eth_call", [{ data: creation }, "latest"], decodeBytes),
    balance: (account, at) =>
      query("eth_getBalance", [account, place(at ?? "latest")], decodeAmount),
    simulate: (blocks) =>
      query("eth_simulateV1", [{ blockStateCalls: blocks.map(toStateCalls) }, "latest"], (answer) =>
        decodeSimulation(answer),
      ),
    priorityFee: () => query("eth_maxPriorityFeePerGas", [], decodeQuantity),
    ...createTransactionReader(queryEach),
  };
}

function toStateCalls({ balances, calls }: SimulatedBlock) {
  return {
    stateOverrides: Object.fromEntries(
      Object.entries(balances).map(([account, balance]) => [
        account,
        { balance: `0x${balance.toString(16)}` },
      ]),
    ),
    calls: calls.map(({ gas, ...call }) => ({ ...call, gas: `0x${gas.toString(16)}` })),
  };
}

function createTransactionReader(queryEach: QueryEach): TransactionReader {
  return {
    attempts: (calls) =>
      queryEach(
        calls.map((call) => ({ method: "eth_call", params: [call, "latest"] })),
        decodeBytes,
      ),
    gasEstimates: (calls) =>
      queryEach(
        calls.map((call) => ({ method: "eth_estimateGas", params: [call] })),
        decodeQuantity,
      ),
    send: (raws) =>
      queryEach(
        raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] })),
        decodeTxHash,
      ),
  };
}
