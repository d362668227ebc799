// SQL that disables endpoints which have failed for days. Nothing is counted while deliveries end: the log has all that is
// needed, and one success in it is enough to leave an endpoint alone.
import type { Pool } from "pg";

const DAYS = 3;
const FAILURES_MIN = 20;

// The first failure of the three days must be old: an endpoint that fails for an hour after a quiet week stays. The
// conditions that read little come first.
const DISABLE = `
  update endpoints set enabled = false, disabled_reason = 'failing', updated_at = now()
  where id = any($1::text[]) and enabled and url is not null
    and judged_from <= now() - interval '${DAYS} days'
    and exists (
      select from deliveries where endpoint_id = endpoints.id and state = 'failed'
        and created_at between now() - interval '${DAYS} days 12 hours' and now() - interval '${DAYS} days'
    )
    and (
      select count(*) from (
        select from deliveries where endpoint_id = endpoints.id and state = 'failed'
          and created_at > now() - interval '${DAYS} days' limit ${FAILURES_MIN}
      ) failed
    ) = ${FAILURES_MIN}
    and not exists (
      select from deliveries where endpoint_id = endpoints.id and state = 'delivered'
        and created_at > now() - interval '${DAYS} days 12 hours'
    )
  returning id, project_id`;

/** Disables those of the endpoints that only failed for three days, in at least twenty deliveries. */
export async function disableFailing(
  pool: Pool,
  ids: string[],
): Promise<{ id: string; project_id: string }[]> {
  return (await pool.query<{ id: string; project_id: string }>(DISABLE, [ids])).rows;
}
