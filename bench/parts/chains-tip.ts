// How long after a block is mined are its transfers stored, where the service asks for new blocks every 250 ms?
import { setTimeout as pause } from "node:timers/promises";
import { callNode } from "@pay/embedded";
import { figure, median } from "../figures.ts";
import { startBusyChain } from "./busy-chain.ts";
import { CHAIN_ID, makeOrders, openStage, reached, startService, watch } from "./chains-stage.ts";
import { withUndo } from "./with-undo.ts";

const BLOCKS = 100;
const POLL_MS = 250;

export function measureTip(): Promise<void> {
  return withUndo(async (undo) => {
    const chain = await startBusyChain(CHAIN_ID);
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const { rpcUrl } = chain;
    await watch(stage, rpcUrl, makeOrders(1_000, "aa"));
    const service = await startService(stage, [rpcUrl], { followIntervalMs: POLL_MS });
    undo.push(() => service.stop());
    const delays: number[] = [];
    for (let nth = 0; nth < BLOCKS; nth++) {
      // At any moment between two questions.
      await pause((nth * POLL_MS) / BLOCKS);
      await chain.mine(1, []);
      const mined = performance.now();
      const head = Number(await callNode(rpcUrl, "eth_blockNumber"));
      await reached(stage.pool, `select head_number >= ${head} as done from cursors`);
      delays.push(performance.now() - mined);
    }
    figure("chains.tip_p50_ms", median(delays), `ms, asked every ${POLL_MS} ms`);
  });
}
