// Questions about many things of one kind, in requests of a bounded size.
import type { Address, Amount, TxHash } from "@pay/values";
import { type Holding, headCall, hex, holdingCall, receiptCall, wholeCall } from "./calls.ts";
import {
  type Block,
  decodeAmount,
  decodeBlock,
  decodeCount,
  decodeReceipt,
  type Receipt,
} from "./decode.ts";
import {
  type AccountBlock,
  decodeAccountBlock,
  decodeValueBlock,
  type ValueBlock,
} from "./decode-logs.ts";
import type { Paging, QueryMany } from "./queries.ts";

export interface ListReader {
  /** Blocks by number with the native coin that their transactions carry; null for those it does not know. */
  valueBlocks(numbers: readonly number[]): Promise<(ValueBlock | null)[]>;
  blocks(numbers: readonly number[]): Promise<(Block | null)[]>;
  /** Receipts with the heads of some blocks. */
  receiptsWith(txHashes: readonly TxHash[], numbers: readonly number[]): Promise<ReceiptsWith>;
  receipts(txHashes: readonly TxHash[]): Promise<(Receipt | null)[]>;
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

export interface ReceiptsWith {
  receipts: (Receipt | null)[];
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
  async function receiptsWith(txHashes: readonly TxHash[], numbers: readonly number[]) {
    const count = txHashes.length;
    const answers = await queryMany<Receipt | Block | null>(
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
      queryMany<ValueBlock | null>(
        numbers.map(wholeCall),
        (answer, at) => (answer === null ? null : decodeValueBlock(answer, numbers[at] ?? -1)),
        LARGE,
      ),
    blocks: async (numbers) => (await receiptsWith([], numbers)).blocks,
    receipts: async (txHashes) => (await receiptsWith(txHashes, [])).receipts,
    receiptsWith,
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
