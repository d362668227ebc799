// This process as one worker of several. It writes a heartbeat once a second, also while the database is away, so that
// every worker has a fresh heartbeat within a second of the database's return. The others remove a worker without a
// heartbeat for ten seconds and free its deliveries. A worker removes others only when its own previous heartbeat is
// recent: after an outage all heartbeats are old, and old heartbeats then say nothing about their workers. After six
// seconds without a heartbeat a worker starts nothing, and when it finds its row deleted it drops its deliveries and
// registers again.
import { hostname } from "node:os";
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { ALL_DAYS, recentDays } from "../storage/days.ts";
import { beat, dismissWorker, registerWorker, releaseOrphans } from "../storage/workers.ts";

const BEAT_MS = 1_000;
const SILENCE_MAX_MS = 10_000;
const FENCE_MS = 6_000;
/** A worker with an older heartbeat of its own does not judge the heartbeats of others. */
const JUDGE_MS = 3_000;
const RELEASE_MAX = 1_000;
const THOROUGH_EVERY = 5;

export interface Worker {
  /** The owner of what is taken in now; undefined while this process may not take in anything. */
  id(): number | undefined;
  /** The ids of all registered workers as the last heartbeat found them, in their order. */
  registered(): readonly number[];
}

export async function startWorker(options: {
  pool: Pool;
  runtime: Runtime;
  /** The worker has lost all its deliveries. */
  onLost: () => void;
  onBeat: () => void;
  /** Deliveries of removed workers have become free. */
  onFreed: () => void;
}): Promise<Worker> {
  const { pool, runtime, onLost, onBeat, onFreed } = options;
  const { log, clock } = runtime;
  let worker: number | undefined;
  let registered: readonly number[] = [];
  let rounds = 0;
  let beatAt = Number.NEGATIVE_INFINITY;

  async function heartbeat() {
    // The moment before the statement, not after: what counts is when the row was known to be fresh.
    const at = performance.now();
    if (worker !== undefined) {
      const silentMs = at - beatAt < JUDGE_MS ? SILENCE_MAX_MS : undefined;
      const { isAlive, removed, workers } = await beat(pool, worker, silentMs);
      registered = workers;
      if (removed > 0) log.warn({ removed }, "workers without a heartbeat were removed");
      if (!isAlive) {
        log.warn({ worker }, "this worker was removed and registers again");
        worker = undefined;
        onLost();
      }
    }
    if (worker === undefined) {
      worker = await registerWorker(pool, hostname());
      registered = [...registered, worker];
    }
    beatAt = at;
  }

  async function freeOrphans() {
    const since = rounds++ % THOROUGH_EVERY === 0 ? ALL_DAYS : recentDays(clock);
    for (let freed = RELEASE_MAX; freed === RELEASE_MAX; ) {
      freed = await releaseOrphans(pool, { limit: RELEASE_MAX, since });
      if (freed > 0) onFreed();
    }
  }

  runtime.onStop("webhook worker", async () => {
    if (worker !== undefined) await dismissWorker(pool, worker);
  });
  // The first one is waited for, so that what the bus brings right after the start finds an owner.
  await heartbeat().catch((error: unknown) =>
    log.warn({ err: error }, "this worker is not registered yet"),
  );
  const pace = { intervalMs: BEAT_MS, retryPauseMaxMs: BEAT_MS, runtime };
  every({ name: "webhook heartbeat", ...pace, act: () => heartbeat().then(onBeat) });
  every({ name: "release of orphaned webhook deliveries", ...pace, act: freeOrphans });
  return {
    id: () => (performance.now() - beatAt < FENCE_MS ? worker : undefined),
    registered: () => registered,
  };
}
