// A wallet can replace a pending transaction by another with the same nonce. The block that used the nonce is found by
// bisection over the sender's count of transactions.
import type { TxHash } from "@pay/values";
import type { Reader } from "../providers/reader.ts";
import type { Sender } from "./domain/transaction.ts";

/** A provider may have been behind when the transaction was last seen. */
const MARGIN_BLOCKS = 32;

/** Hash of the mined transaction with that sender and nonce; undefined while there is none. */
export async function findReplacement(
  reader: Reader,
  { address, nonce, seenBlock }: Sender,
): Promise<TxHash | undefined> {
  if ((await reader.transactionCount(address, "latest")) <= nonce) return undefined;
  const head = await reader.block("latest");
  if (head === null) return undefined;
  async function isUsedAt(block: number) {
    return (await reader.transactionCount(address, block)) > nonce;
  }

  let before = Math.max(Math.min(seenBlock, head.number) - MARGIN_BLOCKS, 0);
  let after = head.number;
  if ((await isUsedAt(before)) || !(await isUsedAt(after))) return undefined;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (await isUsedAt(middle)) after = middle;
    else before = middle;
  }
  const block = await reader.fullBlock(after);
  return block?.transactions.find((one) => one.from === address && one.nonce === nonce)?.hash;
}
