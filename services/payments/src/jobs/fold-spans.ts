import { transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { foldSpans, HOURS_ABOVE } from "../storage/spans.ts";

const INTERVAL_MS = 60_000;
const SHARDS_MAX = 500;
/** Beyond the end of a day, because its last payments still move then. */
const AGE_MS = 2 * 60 * 60_000;

export function startFolding({ db, clock }: Deps, runtime: Runtime): void {
  const job = every({
    name: "folding of counts",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const before = new Date(clock.now().getTime() - AGE_MS);
      const round = { before, most: SHARDS_MAX, hoursAbove: HOURS_ABOVE };
      const isLeft = await transaction(db.pool, (tx) => foldSpans(tx, round), {
        isolation: "repeatable read",
      });
      if (isLeft) job.wake();
    },
  });
}
