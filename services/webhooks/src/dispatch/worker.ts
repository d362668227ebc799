// This process among the others. It says once a second that it lives. One that has been silent for ten seconds is
// struck off by the others, and what it owned is free; so after six silent seconds it starts nothing any more, and
// when it finds its row gone it forgets what it had and registers anew.
import { hostname } from "node:os";
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { beat, dismissWorker, registerWorker, releaseOrphans } from "../storage/workers.ts";

const BEAT_MS = 1_000;
const SILENCE_MAX_MS = 10_000;
const FENCE_MS = 6_000;
const RELEASE_MAX = 1_000;

export interface Worker {
  /** The owner of what is taken in now; undefined while this process may not take in anything. */
  id(): number | undefined;
}

export const startWorker = async (options: {
  pool: Pool;
  runtime: Runtime;
  /** All that was owned is lost. */
  onLost: () => void;
  /** After each sign of life, with the number of rows that have become free. */
  onBeat: (freed: number) => void;
}): Promise<Worker> => {
  const { pool, runtime, onLost, onBeat } = options;
  const { log } = runtime;
  let worker: number | undefined;
  let beatAt = Number.NEGATIVE_INFINITY;

  const signOfLife = async () => {
    // The moment before the statement, not after: what counts is when the row was known to be fresh.
    const at = performance.now();
    if (worker !== undefined) {
      const { isAlive, buried } = await beat(pool, worker, SILENCE_MAX_MS);
      if (buried > 0) log.warn({ buried }, "workers were taken for dead");
      if (!isAlive) {
        log.warn({ worker }, "this worker was taken for dead and starts anew");
        worker = undefined;
        onLost();
      }
    }
    worker ??= await registerWorker(pool, hostname());
    beatAt = at;
  };

  const round = async () => {
    await signOfLife();
    let freed = 0;
    for (let some = RELEASE_MAX; some === RELEASE_MAX; freed += some) {
      some = await releaseOrphans(pool, RELEASE_MAX);
    }
    onBeat(freed);
  };

  runtime.onStop("webhook worker", async () => {
    if (worker !== undefined) await dismissWorker(pool, worker);
  });
  // The first one is waited for, so that what the bus brings right after the start finds an owner.
  await signOfLife().catch((error: unknown) =>
    log.warn({ err: error }, "this worker is not registered yet"),
  );
  every({ name: "webhook heartbeat", intervalMs: BEAT_MS, runtime, act: round });
  return { id: () => (performance.now() - beatAt < FENCE_MS ? worker : undefined) };
};
