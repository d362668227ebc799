import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { FIRST_PLACE, forgetRefuted } from "./storage/refuted.ts";

const KEPT_MS = 90 * 86_400_000;
const INTERVAL_MS = 3_600_000;
const ROWS = 1_000;

/** Goes through all hashes that proved nothing, a page at a time; a pass begins after each interval. */
export function startForgettingRefuted(pool: Pool, runtime: Runtime): void {
  let place = FIRST_PLACE;
  const job = every({
    name: "end of refuted hashes",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const endedBefore = new Date(runtime.clock.now().getTime() - KEPT_MS);
      const { last } = await forgetRefuted(pool, { after: place, endedBefore, max: ROWS });
      place = last ?? FIRST_PLACE;
      if (last !== undefined) job.wake();
    },
  });
}
