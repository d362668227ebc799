// A node that makes a block at intervals, and none while it takes in transactions: one that comes in while the block of
// its predecessor is made, it lets wait for that predecessor for ever (about one in ten thousand).
import { callNode } from "@pay/embedded";
import { post } from "./faulty-node.ts";

export interface BlockNode {
  /** The text of its answer to the text of a request. */
  ask(body: string): Promise<string>;
  stop(): Promise<void>;
}

export async function mineInBlocks(rpcUrl: string, blockMs: number): Promise<BlockNode> {
  await callNode(rpcUrl, "evm_setAutomine", [false]);
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  async function mine(): Promise<void> {
    while (!isOver) {
      await inTurn(() => callNode(rpcUrl, "evm_mine", []));
      await new Promise((resolve) => setTimeout(resolve, blockMs));
    }
  }

  const mining = mine();
  return {
    ask: (body) =>
      body.includes("eth_sendRawTransaction")
        ? inTurn(() => post(rpcUrl, body))
        : post(rpcUrl, body),
    stop: () => {
      isOver = true;
      return mining;
    },
  };
}
