// The chain of a run: transactions of replaced blocks are mined again, and what payments count is what it shows.
import { callNode } from "@pay/embedded";
import type { Stage } from "./chaos-stage.ts";

interface Transaction {
  hash: string;
  to: string | null;
  value: string;
  blockNumber: string | null;
}

/** Replaces the newest blocks; payers wait meanwhile, so that their nonces stay. */
export async function reorganise({ chain, routes }: Stage, depth: number): Promise<void> {
  routes.payers.hold();
  try {
    const head = await chain.head();
    const raw: unknown[] = [];
    for (let number = head - depth + 1; number <= head; number++) {
      const block = (await chain.call("eth_getBlockByNumber", [
        `0x${number.toString(16)}`,
        false,
      ])) as { transactions: string[] };
      for (const hash of block.transactions) {
        raw.push(await chain.call("eth_getRawTransactionByHash", [hash]));
      }
    }
    await chain.reorg(depth);
    // The node's clock went back with its blocks, and a transfer from before the payment would not pay it.
    await chain.setNextBlockTime(Math.ceil(Date.now() / 1_000));
    for (const transaction of raw) await chain.call("eth_sendRawTransaction", [transaction]);
    await chain.mine();
  } finally {
    routes.payers.mend();
  }
}

/** Payments that count other money than the chain shows, one line each. */
export async function compareMoney(
  rpcUrl: string,
  counted: readonly { id: string; tx_hash: string; base_amount: string }[],
): Promise<string[]> {
  const faults: string[] = [];
  const used = new Set<string>();
  for (const { id, tx_hash, base_amount } of counted) {
    const found = (await callNode(rpcUrl, "eth_getTransactionByHash", [
      tx_hash,
    ])) as Transaction | null;
    if (found?.blockNumber == null) faults.push(`${id} counts ${tx_hash}, which is in no block`);
    else if (BigInt(found.value) !== BigInt(base_amount)) faults.push(`${id} counts another sum`);
    if (used.has(tx_hash)) faults.push(`${tx_hash} pays twice`);
    used.add(tx_hash);
  }
  return faults;
}
