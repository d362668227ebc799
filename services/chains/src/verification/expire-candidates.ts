import { every, type Runtime } from "@pay/process";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { OUTGOING } from "../attribution/domain/candidate.ts";
import * as sql from "../generated/sql.ts";
import { abandonedTotal } from "../metrics.ts";

const INTERVAL_MS = 3_600_000;
const KEPT_MS = 24 * 3_600_000;

/** Returns how many. Where a provider is configured again in time, they are still there. */
export function expireCandidates(
  pool: Pool,
  { chainIds, now }: { chainIds: readonly ChainId[]; now: Date },
): Promise<number> {
  const giveUpBefore = new Date(now.getTime() - KEPT_MS);
  return sql.expireCandidates(pool, { giveUpBefore, chainIds, outgoingPrefixes: OUTGOING });
}

/** Hashes on chains without a provider cannot be verified; they end like unknown ones. */
export function startExpiringCandidates(
  pool: Pool,
  chainIds: readonly ChainId[],
  runtime: Runtime,
): void {
  const { clock, log } = runtime;
  every({
    name: "expiry of candidates on chains without a provider",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const expired = await expireCandidates(pool, { chainIds, now: clock.now() });
      abandonedTotal.inc(expired);
      if (expired > 0) {
        log.warn({ expired }, "hashes on chains without a provider were abandoned");
      }
    },
  });
}
