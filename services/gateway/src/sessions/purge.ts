import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { purgeExpired } from "./storage.ts";

const INTERVAL_MS = 60_000;
/** Clocks differ: the digest of a used token is kept a little longer than any gateway accepts the token. */
const KEPT_LONGER_MS = 5 * 60_000;

export function startSessionPurge(pool: Pool, runtime: Runtime): void {
  const job = every({
    name: "purge of sessions",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const before = new Date(runtime.clock.now().getTime() - KEPT_LONGER_MS);
      if (await purgeExpired(pool, before)) job.wake();
    },
  });
}
