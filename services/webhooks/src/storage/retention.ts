import type { Pool } from "pg";

const PURGE = {
  name: "purge-events",
  text: `
    with old as (
      select id from events where received_at < now() - $1 * interval '1 day'
        and not exists (select from deliveries where event_id = events.id and state = 'live')
      limit $2
    ), gone as (
      delete from events where id = any(array(select id from old)) returning id
    ), undelivered as (
      delete from deliveries where event_id = any(array(select id from old)) returning id
    ), unlogged as (
      delete from attempts where delivery_id = any(array(select id from undelivered))
    )
    select count(*)::int as purged from gone`,
};

/** Deletes the oldest events that are out of their time and have nothing under way; answers how many. */
export const purgeEvents = async (
  pool: Pool,
  { keptDays, limit }: { keptDays: number; limit: number },
): Promise<number> => {
  const { rows } = await pool.query<{ purged: number }>({ ...PURGE, values: [keptDays, limit] });
  return rows[0]?.purged ?? 0;
};
