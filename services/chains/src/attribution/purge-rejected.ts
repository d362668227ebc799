import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { purgeRejectedCandidates } from "../generated/sql.ts";

const KEPT_MS = 90 * 86_400_000;
const INTERVAL_MS = 3_600_000;
const ROWS = 1_000;

/** Where a page ended. */
export interface RejectedPlace {
  endedAt: Date;
  id: bigint;
}

export const FIRST_PLACE: RejectedPlace = { endedAt: new Date(0), id: 0n };

/** Purges one page of the hashes without a proof that ended before a time; no place at the end. */
export async function purgeRejected(
  pool: Pool,
  { after, endedBefore, max }: { after: RejectedPlace; endedBefore: Date; max: number },
): Promise<{ purged: number; last: RejectedPlace | undefined }> {
  const [page] = await purgeRejectedCandidates(pool, {
    afterEndedAt: after.endedAt,
    afterId: after.id,
    endedBefore,
    max,
  });
  if (page === undefined || page.ended_at === null || page.id === null) {
    return { purged: 0, last: undefined };
  }
  const last = { endedAt: page.ended_at, id: page.id };
  return { purged: page.purged, last: page.page_size === max ? last : undefined };
}

/** Goes through all hashes that proved nothing, a page at a time; a pass begins after each interval. */
export function startPurgingRejected(pool: Pool, runtime: Runtime): void {
  let place = FIRST_PLACE;
  const job = every({
    name: "purge of rejected hashes",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const endedBefore = new Date(runtime.clock.now().getTime() - KEPT_MS);
      const { last } = await purgeRejected(pool, { after: place, endedBefore, max: ROWS });
      place = last ?? FIRST_PLACE;
      if (last !== undefined) job.wake();
    },
  });
}
