// Deletes payments that nothing can pay any more, and hashes that came to nothing.
import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { purgeSubmissions, purgeWatches } from "../generated/sql.ts";

/** Money that comes a day after the end is still a payment's own, and may be decided for a day more. */
const WATCHED_MS = 48 * 3_600_000;
/** People send again to an address that they have. */
const DEPOSITS_WATCHED_MS = 30 * 86_400_000;
const SUBMISSIONS_KEPT_MS = 90 * 86_400_000;
const INTERVAL_MS = 600_000;
const ROWS = 5_000;

export function startCleaningWatches({ pool }: Database, runtime: Runtime): void {
  const job = every({
    name: "clean-up of watches",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const now = runtime.clock.now().getTime();
      const endedBefore = new Date(now - WATCHED_MS);
      const depositsEndedBefore = new Date(now - DEPOSITS_WATCHED_MS);
      const purged = await purgeWatches(pool, { endedBefore, depositsEndedBefore, max: ROWS });
      const judgedBefore = new Date(now - SUBMISSIONS_KEPT_MS);
      const [hashes] = await purgeSubmissions(pool, { judgedBefore, max: ROWS });
      if (purged >= ROWS || hashes?.purged === ROWS) job.wake();
    },
  });
}
