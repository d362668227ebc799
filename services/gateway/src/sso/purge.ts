import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { purgeExpired } from "./session-storage.ts";

const INTERVAL_MS = 60_000;
const ROWS = 1_000;
/** Clocks differ: a used token is remembered a little longer than any gateway would accept it. */
const KEPT_LONGER_MS = 5 * 60_000;

export const startSessionPurge = (pool: Pool, runtime: Runtime): void => {
  const job = every({
    name: "purge of sessions",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const before = new Date(runtime.clock.now().getTime() - KEPT_LONGER_MS);
      if (await purgeExpired(pool, before, ROWS)) job.wake();
    },
  });
};
