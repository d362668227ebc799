// Questions about many things of one kind, in requests of a bounded size.
import type { Address, Amount, TxHash } from "@pay/values";
import {
  type Holding,
  headCall,
  hex,
  holdingCall,
  receiptCall,
  transactionCall,
  wholeCall,
} from "./calls.ts";
import {
  type Block,
  decodeAmount,
  decodeBlock,
  decodeCount,
  decodeReceipt,
  decodeTransaction,
  type Receipt,
  type Transaction,
} from "./decode.ts";
import { decodeCall } from "./decode-call.ts";
import {
  type AccountBlock,
  decodeAccountBlock,
  decodeValueBlock,
  type ValueBlock,
} from "./decode-logs.ts";
import type { Call } from "./domain/call.ts";
import type { Paging, QueryMany } from "./queries.ts";

export interface ListReader {
  /** Blocks by number with the native coin that their transactions carry; null for those it does not know. */
  valueBlocks(numbers: readonly number[]): Promise<(ValueBlock | null)[]>;
  blocks(numbers: readonly number[]): Promise<(Block | null)[]>;
  /** Receipts of transactions and their calls, with the heads of some blocks. */
  hits(txHashes: readonly TxHash[], numbers: readonly number[]): Promise<Hits>;
  receipts(txHashes: readonly TxHash[]): Promise<(Receipt | null)[]>;
  transactions(txHashes: readonly TxHash[]): Promise<(Transaction | null)[]>;
  /** Blocks by number with the transactions from or to the accounts; null for those it does not know. */
  accountBlocks(
    numbers: readonly number[],
    accounts: ReadonlySet<Address>,
  ): Promise<(AccountBlock | null)[]>;
  /** What accounts hold of a currency at a block, in base units; null of a token that was not there yet. */
  holdings(asked: readonly Holding[], block: number): Promise<(Amount | null)[]>;
  /** How many transactions each of the accounts had sent at a block. */
  nonces(accounts: readonly Address[], block: number): Promise<number[]>;
}

export interface Hits {
  receipts: (Receipt | null)[];
  /** Null where the transaction names no payment, and where the provider does not tell it. */
  calls: (Call | null)[];
  blocks: (Block | null)[];
}

/** Null where the provider does not know it; undefined where it tells of another one. */
export function decodeHead(answer: unknown, asked: number | undefined): Block | null | undefined {
  const found = answer === null ? null : decodeBlock(answer);
  return found === null || found?.number === asked ? found : undefined;
}

function decodeReceiptOrNull(
  answer: unknown,
  txHash: TxHash | undefined,
): Receipt | null | undefined {
  return answer === null ? null : decodeReceipt(answer, txHash);
}

const SMALL: Paging = { start: 100, max: 100 };
/** Whole blocks differ much in size. */
const LARGE: Paging = { start: 10, max: 50 };

export function createListReader(queryMany: QueryMany): ListReader {
  async function hits(txHashes: readonly TxHash[], numbers: readonly number[]): Promise<Hits> {
    const count = txHashes.length;
    const behind = count + numbers.length;
    const answers = await queryMany<Receipt | Block | Call | null>(
      [...txHashes.map(receiptCall), ...numbers.map(headCall), ...txHashes.map(transactionCall)],
      (answer, at) => {
        if (at < count) return decodeReceiptOrNull(answer, txHashes[at]);
        if (at < behind) return decodeHead(answer, numbers[at - count]);
        return decodeCall(answer, txHashes[at - behind]);
      },
      SMALL,
    );
    return {
      receipts: answers.slice(0, count) as (Receipt | null)[],
      blocks: answers.slice(count, behind) as (Block | null)[],
      calls: answers.slice(behind) as (Call | null)[],
    };
  }

  return {
    valueBlocks: (numbers) =>
      queryMany<ValueBlock | null>(
        numbers.map(wholeCall),
        (answer, at) => (answer === null ? null : decodeValueBlock(answer, numbers[at] ?? -1)),
        LARGE,
      ),
    blocks: (numbers) =>
      queryMany(numbers.map(headCall), (answer, at) => decodeHead(answer, numbers[at]), SMALL),
    receipts: (txHashes) =>
      queryMany(
        txHashes.map(receiptCall),
        (answer, at) => decodeReceiptOrNull(answer, txHashes[at]),
        SMALL,
      ),
    transactions: (txHashes) =>
      queryMany(
        txHashes.map(transactionCall),
        (answer, at) => (answer === null ? null : decodeTransaction(answer, txHashes[at])),
        SMALL,
      ),
    hits,
    accountBlocks: (numbers, accounts) =>
      queryMany<AccountBlock | null>(
        numbers.map(wholeCall),
        (answer, at) =>
          answer === null ? null : decodeAccountBlock(answer, numbers[at] ?? -1, accounts),
        LARGE,
      ),
    holdings: (asked, block) =>
      queryMany<Amount | null>(
        asked.map((one) => holdingCall(one, hex(block))),
        // A contract that was not there at that block answers with nothing.
        (answer) => (answer === "0x" ? null : decodeAmount(answer)),
      ),
    nonces: (accounts, block) =>
      queryMany<number>(
        accounts.map((account) => ({
          method: "eth_getTransactionCount",
          params: [account, hex(block)],
        })),
        decodeCount,
      ),
  };
}
