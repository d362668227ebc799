// Reads movements of wallets from one provider. The records only choose which transactions are traced: coin that a
// contract passes on has no log, and tracing each transaction costs too much.
import { type TxHash, ZERO_ADDRESS } from "@pay/values";
import { implausible, toFollowed } from "../following/scan.ts";
import type { Receipt } from "../providers/decode.ts";
import type { AccountBlock } from "../providers/decode-logs.ts";
import {
  innerTransfers,
  NATIVE,
  nativeTransfer,
  tokenTransfers,
} from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { RpcError } from "../providers/rpc-error.ts";
import {
  type Account,
  type Block,
  listMovements,
  type Movement,
  toGasMovement,
} from "./domain/book.ts";

export interface BlockRange {
  /** The first block that is read. */
  from: number;
  to: number;
}

const BLOCKS_AT_ONCE = 50;

/** Transfers of tokens from and to the accounts. */
export async function readTokenMovements(
  reader: Reader,
  accounts: readonly Account[],
  { from, to }: BlockRange,
): Promise<Movement[]> {
  const ofTokens = accounts.filter(({ currency }) => currency !== NATIVE);
  if (ofTokens.length === 0) return [];
  const wallets = [...new Set(ofTokens.map(({ wallet }) => wallet))];
  const tokens = new Set(ofTokens.flatMap(({ currency }) => (currency === NATIVE ? [] : currency)));
  const query = { fromBlock: from, toBlock: to, tokens };
  const logs = [
    ...(await reader.transfers(query, wallets)),
    ...(await reader.sentTransfers(query, wallets)),
  ];
  const hashes = new Map(logs.map(({ txHash, blockHash }) => [txHash, blockHash]));
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))];
  const blocks = new Map(
    (await reader.blocks(numbers)).flatMap((block) =>
      block === null ? [] : [[block.hash, toFollowed(block)] as const],
    ),
  );
  const receipts = await fetchReceipts(reader, [...hashes.keys()]);
  return receipts.flatMap((receipt) => {
    const block = blocks.get(receipt.blockHash);
    if (block === undefined || hashes.get(receipt.transactionHash) !== receipt.blockHash) {
      throw implausible(reader, "a receipt that does not fit its block");
    }
    if (receipt.status !== "0x1") return [];
    return tokenTransfers(receipt.transactionHash, receipt.logs, tokens).flatMap((transfer) =>
      listMovements(transfer, block, ofTokens),
    );
  });
}

/** Native coin from and to the accounts, and the gas that they paid. */
export async function readNativeMovements(
  reader: Reader,
  accounts: readonly Account[],
  { from, to, traced }: BlockRange & { traced: Traced },
): Promise<Movement[]> {
  const natives = accounts.filter(({ currency }) => currency === NATIVE);
  if (natives.length === 0) return [];
  const wallets = new Set(natives.map(({ wallet }) => wallet));
  const found: Movement[] = [];
  for (let first = from; first <= to; first += BLOCKS_AT_ONCE) {
    const count = Math.min(BLOCKS_AT_ONCE, to - first + 1);
    const numbers = Array.from({ length: count }, (_, at) => first + at);
    const blocks = (await reader.accountBlocks(numbers, wallets)).map((block) => {
      if (block === null) throw implausible(reader, "a block below its head is missing");
      return block;
    });
    const inner = new Set(await traced(blocks.flatMap(({ txHashes }) => txHashes)));
    for (const block of blocks) {
      found.push(...(await nativeMovementsIn(reader, block, natives)));
      const toTrace = block.txHashes.filter((txHash) => inner.has(txHash));
      found.push(...(await innerMovements(reader, { ...timed(block), toTrace }, natives)));
    }
  }
  return found;
}

/** Which of these transactions are recorded as such that a contract passed native coin on in. */
export type Traced = (txHashes: readonly TxHash[]) => Promise<TxHash[]>;

function timed({ number, timestamp }: AccountBlock): Block {
  return { number, time: new Date(timestamp * 1_000) };
}

async function nativeMovementsIn(
  reader: Reader,
  read: AccountBlock,
  natives: readonly Account[],
): Promise<Movement[]> {
  const { hash, transactions } = read;
  const block = timed(read);
  const receipts = await fetchReceipts(
    reader,
    transactions.map((transaction) => transaction.hash),
  );
  return transactions.flatMap(({ hash: txHash, from, to, value }, at) => {
    const receipt = receipts[at];
    if (receipt?.blockHash !== hash) throw implausible(reader, "a receipt of another block");
    const { gasUsed, status, effectiveGasPrice, l1Fee } = receipt;
    const mined = {
      txHash,
      from,
      gasUsed,
      gasPrice: effectiveGasPrice ?? 0n,
      dataFee: l1Fee ?? 0n,
    };
    // Where a contract was created, the coin went to an account that is in no books, like this one.
    const recipient = to ?? ZERO_ADDRESS;
    const carried = status === "0x1" ? nativeTransfer(txHash, { from, to: recipient, value }) : [];
    return [
      ...toGasMovement(mined, block, natives),
      ...carried.flatMap((transfer) => listMovements(transfer, block, natives)),
    ];
  });
}

async function innerMovements(
  reader: Reader,
  { toTrace, ...block }: Block & { toTrace: readonly TxHash[] },
  natives: readonly Account[],
): Promise<Movement[]> {
  const found: Movement[] = [];
  for (const txHash of toTrace) {
    const root = await reader.trace(txHash);
    if (root === undefined) throw new RpcError("refused", `${reader.name}: it does not trace`);
    for (const transfer of innerTransfers(txHash, root)) {
      found.push(...listMovements(transfer, block, natives));
    }
  }
  return found;
}

async function fetchReceipts(reader: Reader, txHashes: readonly TxHash[]): Promise<Receipt[]> {
  return (await reader.receipts(txHashes)).map((receipt) => {
    if (receipt === null) throw implausible(reader, "a receipt of a final block is missing");
    return receipt;
  });
}
