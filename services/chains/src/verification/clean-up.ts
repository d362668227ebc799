// Ends searches on chains without a provider, and deletes what nobody needs any more.
import { every, type Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { expireTransactions, purgeTransactions } from "../generated/sql.ts";
import { abandonedTotal } from "../metrics.ts";

const INTERVAL_MS = 3_600_000;
const SEARCHED_MS = 24 * 3_600_000;
const KEPT_MS = 90 * 86_400_000;
const ROWS = 1_000;

/** Returns how many. Where a provider is configured again in time, they are still there. */
export async function endSearches(
  pool: Pool,
  { chainIds, now }: { chainIds: readonly ChainId[]; now: Date },
): Promise<number> {
  const giveUpBefore = new Date(now.getTime() - SEARCHED_MS);
  const [row] = await expireTransactions(pool, { giveUpBefore, chainIds, now });
  return row?.expired ?? 0;
}

export function startCleaningTransactions(
  pool: Pool,
  chainIds: readonly ChainId[],
  runtime: Runtime,
): void {
  const { clock, log } = runtime;
  const job = every({
    name: "clean-up of transactions",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const now = clock.now();
      const expired = await endSearches(pool, { chainIds, now });
      abandonedTotal.inc(expired);
      if (expired > 0) log.warn({ expired }, "hashes on chains without a provider were given up");
      const createdBefore = new Date(now.getTime() - KEPT_MS);
      if ((await purgeTransactions(pool, { createdBefore, max: ROWS })) === ROWS) job.wake();
    },
  });
}
