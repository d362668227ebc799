// What do merchants see while one of three replicas of payments is frozen? SIGSTOP keeps its connections open, so
// nothing but the missing answers shows it. Each rate is measured over the first seconds after the stop. Requests leave
// at their rate whatever the answers do, so connections are as many as can wait for lost answers.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freezeProcess } from "@pay/embedded";
import { type BenchProduct, startGatewayAndPayments } from "./bench-product.ts";
import { figure } from "./figures.ts";
import { type LoadResult, runLoad } from "./load.ts";
import { withUndo } from "./parts/with-undo.ts";
import { makeCreation } from "./requests.ts";

const REPLICAS = 3;
const FROZEN_MS = 10_000;
const WARM_UP = { ratePerS: 200, connections: 64, durationMs: 4_000 };
const RATES = [
  { ratePerS: 200, connections: 600 },
  { ratePerS: 1_000, connections: 2_000 },
] as const;

export async function run(): Promise<void> {
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-frozen-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const product = await startGatewayAndPayments(folder, undo, { paymentsReplicas: REPLICAS });
    for (const rate of RATES) {
      const healthy = await measure(product, WARM_UP);
      figure(`frozen.healthy_p50_ms_before_${rate.ratePerS}`, healthy.p50Ms, "ms");
      const result = await whileFrozen(product, () =>
        measure(product, { ...rate, durationMs: FROZEN_MS }),
      );
      report(rate.ratePerS, result);
    }
  });
}

let sent = 0;

function measure(
  { port, key, chainId }: BenchProduct,
  load: { ratePerS: number; connections: number; durationMs: number },
): Promise<LoadResult> {
  const request = () => makeCreation({ key, chainId }, sent++);
  return runLoad({ ...load, port, request });
}

async function whileFrozen<T>({ payments }: BenchProduct, act: () => Promise<T>): Promise<T> {
  const pid = payments.at(-1)?.pid;
  if (pid === undefined) throw new Error("there is no replica");
  await freezeProcess(pid);
  try {
    return await act();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

function report(ratePerS: number, { statuses, p50Ms, p99Ms }: LoadResult): void {
  const all = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  figure(`frozen.ok_share_${ratePerS}`, (100 * (statuses.get(201) ?? 0)) / all, "%");
  figure(`frozen.sent_${ratePerS}`, all, "requests");
  figure(`frozen.p99_ms_${ratePerS}`, p99Ms, "ms");
  figure(
    ratePerS === RATES[0].ratePerS ? "frozen.p50_ms" : `frozen.p50_ms_${ratePerS}`,
    p50Ms,
    "ms",
  );
}
