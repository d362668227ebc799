import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { purgeWatches } from "../generated/sql.ts";

const WATCHED_AFTER_EXPIRY_MS = 24 * 3_600_000;
const INTERVAL_MS = 600_000;
const ROWS = 5_000;

/** A payment that was not paid is watched for a day after its expiry. */
export function startPurgingWatches(db: Database, runtime: Runtime): void {
  const job = every({
    name: "purge of watches",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const expiredBefore = new Date(runtime.clock.now().getTime() - WATCHED_AFTER_EXPIRY_MS);
      const purged = await purgeWatches(db.pool, { expiredBefore, max: ROWS });
      if (purged === ROWS) job.wake();
    },
  });
}
