// The questions this service asks a chain, each answered by one provider with decoded values. Null means "this
// provider does not know it", which is no statement about the chain.
import {
  type Block,
  type BlockWithTransactions,
  decodeBlock,
  decodeBytes,
  decodeCount,
  decodeFrame,
  decodeFullBlock,
  decodeReceipt,
  decodeTransaction,
  type Frame,
  type Receipt,
  type Transaction,
} from "./decode.ts";
import { RpcError } from "./endpoint.ts";

export type BlockTag = "latest" | "safe" | "finalized";

export interface Reader {
  readonly name: string;
  chainId(): Promise<number>;
  receipt(txHash: string): Promise<Receipt | null>;
  transaction(txHash: string): Promise<Transaction | null>;
  block(at: number | BlockTag): Promise<Block | null>;
  fullBlock(number: number): Promise<BlockWithTransactions | null>;
  /** How many transactions the account had sent at that block. */
  transactionCount(account: string, at: number | "latest"): Promise<number>;
  /** The execution of a transaction; undefined where the provider cannot tell it. */
  trace(txHash: string): Promise<Frame | undefined>;
  code(account: string): Promise<string>;
  /** Runs a view function at the head. */
  view(contract: string, data: string): Promise<string>;
}

const hex = (number: number) => `0x${number.toString(16)}`;
const place = (at: number | BlockTag) => (typeof at === "number" ? hex(at) : at);

/** Asks one provider; undefined from the decoder means that the answer cannot be true. */
export type Query = <T>(
  method: string,
  params: readonly unknown[],
  decode: (answer: unknown) => T | undefined,
) => Promise<T>;

export const createReader = (name: string, ask: Query): Reader => {
  const askOrNull = <T>(
    method: string,
    params: readonly unknown[],
    decode: (answer: unknown) => T | undefined,
  ) => ask<T | null>(method, params, (answer) => (answer === null ? null : decode(answer)));
  const askBlock = async <B extends Block>(
    at: number | BlockTag,
    full: boolean,
    decode: (answer: unknown) => B | undefined,
  ): Promise<B | null> =>
    askOrNull("eth_getBlockByNumber", [place(at), full], (answer) => {
      const found = decode(answer);
      return typeof at === "string" || found?.number === at ? found : undefined;
    });

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
    code: (account) => ask("eth_getCode", [account, "latest"], decodeBytes),
    view: (contract, data) => ask("eth_call", [{ to: contract, data }, "latest"], decodeBytes),
  };
};
