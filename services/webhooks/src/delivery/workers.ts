// This process as one of several workers, with a heartbeat each second.
// - Without a heartbeat for 6 s a worker starts nothing; after 10 s others remove it and release its deliveries.
// - A worker removes others only if its own previous heartbeat is recent: after an outage of the database all are old.
// - A worker whose row was deleted drops its deliveries and registers again.
import { hostname } from "node:os";
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { dismissWorker, registerWorker, releaseOrphans, writeHeartbeat } from "../generated/sql.ts";
import { ALL_DAYS, recentDays } from "../storage/recent-days.ts";

const HEARTBEAT_MS = 1_000;
const SILENCE_MAX_MS = 10_000;
const FENCE_MS = 6_000;
/** A worker whose own heartbeat is older does not remove others. */
const OWN_HEARTBEAT_MAX_MS = 3_000;
const RELEASE_MAX = 1_000;
const ALL_DAYS_EVERY = 5;
const NO_HEARTBEAT = { beaten: 0, removed: 0, workers: [] };

export interface Worker {
  /** The owner of deliveries that are loaded now; undefined while this process may not load any. */
  id(): number | undefined;
  /** The ids of all workers at the last heartbeat, in order. */
  registered(): readonly number[];
}

export async function startWorker(options: {
  pool: Pool;
  runtime: Runtime;
  /** This worker has lost its deliveries. */
  onLost: () => void;
  onHeartbeat: () => void;
  /** Deliveries of removed workers were released. */
  onReleased: () => void;
}): Promise<Worker> {
  const { pool, runtime, onLost, onHeartbeat, onReleased } = options;
  const { log, clock } = runtime;
  let worker: number | undefined;
  let registered: readonly number[] = [];
  let rounds = 0;
  let heartbeatAt = Number.NEGATIVE_INFINITY;

  async function heartbeat() {
    // Before the statement, because then the row is at least this fresh.
    const at = performance.now();
    if (worker !== undefined) {
      const silentMs = at - heartbeatAt < OWN_HEARTBEAT_MAX_MS ? SILENCE_MAX_MS : null;
      const [{ beaten, removed, workers } = NO_HEARTBEAT] = await writeHeartbeat(pool, {
        worker,
        silentMs,
      });
      registered = workers;
      if (removed > 0) log.warn({ removed }, "removed workers without a heartbeat");
      if (beaten === 0) {
        log.warn({ worker }, "this worker was removed; registering again");
        worker = undefined;
        onLost();
      }
    }
    if (worker === undefined) {
      worker = await register(pool);
      registered = [...registered, worker];
    }
    heartbeatAt = at;
  }

  async function releaseAllOrphans() {
    const since = rounds++ % ALL_DAYS_EVERY === 0 ? ALL_DAYS : recentDays(clock);
    for (let released = RELEASE_MAX; released === RELEASE_MAX; ) {
      released = await releaseOrphans(pool, { limit: RELEASE_MAX, since });
      if (released > 0) onReleased();
    }
  }

  runtime.onStop("webhook worker", async () => {
    if (worker !== undefined) await dismissWorker(pool, { worker });
  });
  // Registered before the start ends, so that the first events have an owner.
  await heartbeat().catch((error: unknown) =>
    log.warn({ err: error }, "registering this worker failed; retrying"),
  );
  const pace = { intervalMs: HEARTBEAT_MS, retryPauseMaxMs: HEARTBEAT_MS, runtime };
  every({ name: "webhook heartbeat", ...pace, act: () => heartbeat().then(onHeartbeat) });
  every({ name: "release of orphaned webhook deliveries", ...pace, act: releaseAllOrphans });
  return {
    id: () => (performance.now() - heartbeatAt < FENCE_MS ? worker : undefined),
    registered: () => registered,
  };
}

async function register(pool: Pool): Promise<number> {
  const [worker] = await registerWorker(pool, { host: hostname() });
  if (worker === undefined) throw new Error("a worker was not registered");
  return worker.id;
}
