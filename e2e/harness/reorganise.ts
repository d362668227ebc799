import { callNode } from "@pay/embedded";

/** Takes a transaction's block, and what stands on it, from a local chain. The answer mines the transaction again. */
export async function reorganise(rpcUrl: string, txHash: string): Promise<() => Promise<void>> {
  function node(method: string, params: unknown[] = []) {
    return callNode(rpcUrl, method, params);
  }

  // Without the clock no block comes between what is read here and the change.
  await node("evm_setIntervalMining", [0]);
  await node("evm_setAutomine", [true]);
  const raw = await node("eth_getRawTransactionByHash", [txHash]);
  const { blockNumber } = (await node("eth_getTransactionReceipt", [txHash])) as {
    blockNumber: string;
  };
  const newest = (await node("eth_blockNumber")) as string;
  await node("anvil_reorg", [Number(newest) - Number(blockNumber) + 1, []]);
  await node("anvil_mine", ["0x1"]);
  return async () => {
    // The node's clock went back with its blocks, and a transfer from before the payment would not pay it.
    await node("evm_setNextBlockTimestamp", [Math.ceil(Date.now() / 1_000)]);
    await node("eth_sendRawTransaction", [raw]);
  };
}
