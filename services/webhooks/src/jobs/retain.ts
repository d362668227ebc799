import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { purgeEvents } from "../storage/events.ts";

const KEPT_DAYS = 30;
const EVENTS_PER_ROUND = 500;
const PAUSE_MS = 60_000;

/** Forgets events older than a month with all that was logged of them, a little at a time. */
export function startRetention(pool: Pool, runtime: Runtime): void {
  every({
    name: "webhook retention",
    intervalMs: PAUSE_MS,
    runtime,
    act: async () => {
      while (!runtime.stopping.aborted) {
        const purged = await purgeEvents(pool, { keptDays: KEPT_DAYS, limit: EVENTS_PER_ROUND });
        if (purged < EVENTS_PER_ROUND) return;
      }
    },
  });
}
