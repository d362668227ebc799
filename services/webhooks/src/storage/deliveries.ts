// SQL of the delivery log as merchants read it.
import type { Pool } from "pg";

export interface LoggedAttempt {
  number: number;
  started_at: string;
  duration_ms: number;
  status_code: number | null;
  error: string | null;
  url?: string | null;
  retry_after?: string | null;
  /** In base 64. */
  response?: string;
  response_complete?: boolean;
}

export interface LoggedDelivery {
  id: string;
  event_id: string;
  type: string;
  endpoint_id: string;
  state: string;
  created_at: Date;
  generation: number;
  attempts: LoggedAttempt[];
}

// Counting and reading in one statement, so that both see the same moment. Newest first by the event; an event's
// deliveries stay together.
const LIST = {
  name: "list-deliveries",
  text: `
    with listed as (
      select deliveries.id, deliveries.day, deliveries.event_id, events.type, deliveries.endpoint_id, deliveries.state,
        deliveries.created_at, events.received_at, deliveries.generation
      from events join deliveries on deliveries.event_id = events.id and deliveries.day = events.day
      where events.project_id = $1 and events.mode = $2 and ($3::text is null or events.resource_id = $3)
    ), page as (
      select * from listed
      order by received_at desc, event_id desc, endpoint_id, generation desc limit $4 offset $5
    )
    select total.total, page.*, coalesce(logged.attempts, '[]'::json) as attempts
    from (select count(*) as total from listed) total left join page on true
    left join lateral (
      select json_agg(attempt order by attempt.number) as attempts from (
        select number, started_at, duration_ms, status_code, error from attempts
        where delivery_id = page.id and day = page.day
      ) attempt
    ) logged on true
    order by page.received_at desc, page.event_id desc, page.endpoint_id, page.generation desc`,
};

export async function listDeliveries(
  pool: Pool,
  asked: {
    projectId: string;
    mode: number;
    resourceId: string | undefined;
    limit: number;
    offset: number;
  },
): Promise<{ deliveries: LoggedDelivery[]; total: bigint }> {
  const { projectId, mode, resourceId, limit, offset } = asked;
  const { rows } = await pool.query<LoggedDelivery & { total: string }>({
    ...LIST,
    values: [projectId, mode, resourceId ?? null, limit, offset],
  });
  return {
    total: BigInt(rows[0]?.total ?? "0"),
    // A page past the end is one row with nothing but the total.
    deliveries: rows.filter(({ id }) => id !== null),
  };
}
