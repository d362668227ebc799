import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { HOURS_ABOVE, rollUpCounts } from "../storage/hourly-counts.ts";

const INTERVAL_MS = 60_000;
const SHARDS_MAX = 500;
/** The last payments of a day still move for a while. */
const AGE_MS = 2 * 60 * 60_000;

export function startRollUp({ db, clock }: Deps, runtime: Runtime): void {
  const job = every({
    name: "roll-up of counts",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const before = new Date(clock.now().getTime() - AGE_MS);
      const round = { before, limit: SHARDS_MAX, hoursAbove: HOURS_ABOVE };
      const isLeft = await transaction(db.pool, (tx) => rollUpCounts(tx, round), {
        isolation: "repeatable read",
      });
      if (isLeft) job.wake();
    },
  });
}
