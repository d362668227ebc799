// How many submitted hashes get their outcome in a second: beside a node that answers, and beside providers that lose
// answers.
import { figure } from "../figures.ts";
import type { Mined } from "./busy-chain.ts";
import {
  faultyProviders,
  forgetTransfers,
  type Order,
  reached,
  type Stage,
  startService,
  toEvent,
} from "./chains-stage.ts";
import { withUndo } from "./with-undo.ts";

const FAULT_SHARE = 0.05;

export interface Submitted {
  orders: readonly Order[];
  mined: readonly Mined[];
}

export async function measureHashes(
  stage: Stage,
  rpcUrl: string,
  submitted: Submitted,
): Promise<void> {
  const healthy = await judge(stage, [rpcUrl], submitted);
  figure("chains.hashes_per_s", healthy, "hashes/s");
  await withUndo(async (undo) => {
    const providers = await faultyProviders(rpcUrl, FAULT_SHARE, undo);
    const faulty = await judge(stage, providers, submitted);
    figure("chains.hashes_per_s_with_faults", faulty, "hashes/s, 5 of 100 answers are lost");
    figure("chains.hashes_fault_ratio", faulty / healthy, "x");
  });
}

async function judge(
  stage: Stage,
  providers: readonly string[],
  { orders, mined }: Submitted,
): Promise<number> {
  const { pool } = stage;
  await forgetTransfers(pool);
  const hashes = new Map(mined.map(({ recipient, txHash }) => [recipient, txHash]));
  const service = await startService(stage, providers);
  const begun = performance.now();
  await service.publish(
    orders.map((order) => toEvent(stage, order, hashes.get(order.recipient) ?? "")),
  );
  const done = `select count(*) = ${orders.length} as done from submissions where outcome = 'counted'`;
  await reached(pool, done);
  const perS = (orders.length * 1_000) / (performance.now() - begun);
  await service.stop();
  return perS;
}
