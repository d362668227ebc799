import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { purgeHandoffs } from "../storage/handoffs.ts";

const INTERVAL_MS = 60_000;
const ROWS = 1_000;

export function startHandoffPurge({ db, clock }: Deps, runtime: Runtime): void {
  const job = every({
    name: "purge of hand-offs",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      if ((await purgeHandoffs(db.pool, clock.now(), ROWS)) === ROWS) job.wake();
    },
  });
}
