import { every, type Runtime } from "@pay/process";
import type { Database } from "./connect.ts";
import { purgeIdempotency } from "./idempotency.ts";

const INTERVAL_MS = 60_000;
const ROWS_MAX = 1_000;

/** Forgets first answers once they are a day old, a bounded number at a time. */
export const startIdempotencyPurge = (db: Database, runtime: Runtime): void => {
  const job = every({
    name: "purge of idempotency keys",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const purged = await purgeIdempotency(db.pool, runtime.clock.now(), ROWS_MAX);
      if (purged === ROWS_MAX) job.wake();
    },
  });
};
