import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { purgeHandoffs } from "../generated/sql.ts";

const INTERVAL_MS = 60_000;
const ROWS = 1_000;

export function startHandoffPurge({ db, clock }: Deps, runtime: Runtime): void {
  const job = every({
    name: "purge of hand-offs",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const round = { expiredUntil: clock.now(), limit: ROWS };
      if ((await purgeHandoffs(db.pool, round)) === ROWS) job.wake();
    },
  });
}
