// Keys are kept for a day and leave with their partition. The table of the version before has no partitions: its rows are
// deleted in small rounds, until none is left.
import { every, type Runtime } from "@pay/process";
import type { ClientBase, Pool } from "pg";

const KEPT_MS = 24 * 60 * 60_000;
const PURGE_INTERVAL_MS = 60_000;
const PURGE_ROWS = 1_000;

const PURGE = {
  name: "idempotency-purge",
  text: `delete from idempotency where (scope, key) in (
      select scope, key from idempotency where created_at < $1
      order by created_at limit $2 for update skip locked
    )`,
};

/** One bounded round: how many keys older than a day were deleted. */
export async function purgeIdempotency(
  db: Pool | ClientBase,
  now: Date,
  rowsMax = PURGE_ROWS,
): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  const { rowCount } = await db.query({ ...PURGE, values: [before, rowsMax] });
  return rowCount ?? 0;
}

export function startIdempotencyPurge(db: { pool: Pool }, runtime: Runtime): void {
  const job = every({
    name: "purge of idempotency keys",
    intervalMs: PURGE_INTERVAL_MS,
    runtime,
    act: async () => {
      if ((await purgeIdempotency(db.pool, runtime.clock.now())) === PURGE_ROWS) job.wake();
    },
  });
}
