import type { Pool } from "pg";
import { RETENTION_DAYS } from "./kafka-topics.ts";

/** Longer than any record stays on the bus, so that no repeat can arrive after its id was forgotten. */
const REMEMBER_DAYS = RETENTION_DAYS + 1;
const ROWS_MAX = 5_000;

const PURGE = `delete from inbox where ctid = any(array(
  select ctid from inbox
  where received_at < now() - make_interval(days => ${REMEMBER_DAYS}) and consumer = $1
  order by received_at limit ${ROWS_MAX}))`;

/** Forgets ids no record can bring back any more, in small steps; answers how many. */
export const purgeInbox = async (pool: Pool, consumer: string): Promise<number> => {
  let purged = 0;
  for (;;) {
    const { rowCount } = await pool.query(PURGE, [consumer]);
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < ROWS_MAX) return purged;
  }
};
