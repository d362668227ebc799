import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import { abandonedTotal } from "../metrics.ts";
import { abandonForgotten } from "./storage/cross-tenant.ts";

const INTERVAL_MS = 3_600_000;

/** Hashes on chains that are configured no longer cannot be verified; they end like those that no chain ever had. */
export function startAbandoningForgotten(
  db: Database,
  chainIds: readonly ChainId[],
  runtime: Runtime,
): void {
  const { clock, log } = runtime;
  every({
    name: "end of candidates on chains without a provider",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const forgotten = await abandonForgotten(db.pool, { chainIds, now: clock.now() });
      abandonedTotal.inc(forgotten);
      if (forgotten > 0) {
        log.warn({ forgotten }, "hashes on chains without a provider were given up");
      }
    },
  });
}
