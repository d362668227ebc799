// SQL that disables endpoints which have failed for days. Nothing is counted while deliveries end: the log has all that
// is needed, and one success in it is enough to leave an endpoint alone.
import type { Pool } from "pg";

const DAYS = 3;
const FAILURES_MIN = 20;

// The newest success is looked for first: most endpoints have one among their newest deliveries, and where there is
// none, the days to be read hold failures alone. The first failure of the three days must be old: an endpoint that
// fails for an hour after a quiet week stays.
const DISABLE = `
  update endpoints set enabled = false, disabled_reason = 'failing', updated_at = now()
  where id = $1 and enabled and url is not null
    and failures_counted_from <= now() - interval '${DAYS} days'
    and case when (
      select true from deliveries where endpoint_id = endpoints.id and state = 'delivered'
        and created_at > now() - interval '${DAYS} days 12 hours'
      order by created_at desc, id desc limit 1
    ) then false
    else exists (
      select from deliveries where endpoint_id = endpoints.id and state = 'failed'
        and created_at between now() - interval '${DAYS} days 12 hours' and now() - interval '${DAYS} days'
    ) and (
      select count(*) from (
        select from deliveries where endpoint_id = endpoints.id and state = 'failed'
          and created_at > now() - interval '${DAYS} days' limit ${FAILURES_MIN}
      ) failed
    ) = ${FAILURES_MIN} end
  returning project_id`;

/**
 * Disables the endpoint if it only failed for three days, in at least twenty deliveries. Returns its project; undefined
 * where it stays as it is.
 */
export async function disableFailing(pool: Pool, id: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ project_id: string }>({ text: DISABLE, values: [id] });
  return rows[0]?.project_id;
}
