// SQL of one endpoint's delivery log: read, sent again and recovered. The endpoint belongs to a tenant, and every
// statement proves it, so another project's delivery is absent like an unknown one.
import { type Condition, condition, joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";

const TOTAL_MAX = 10_000;
const RECOVER_MAX = 10_000;

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
  redeliveries: number;
  attempts: LoggedAttempt[];
}

export interface LogFilter {
  endpointId: string;
  state: string | undefined;
  eventType: string | undefined;
  eventId: string | undefined;
  resourceId: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

const LOG =
  "deliveries join events on events.id = deliveries.event_id and events.day = deliveries.day";
const COLUMNS = `deliveries.id, deliveries.day, deliveries.event_id, events.type, deliveries.endpoint_id, deliveries.state,
  deliveries.created_at, deliveries.redeliveries`;

function buildConditions({ projectId, mode }: Tenant, filter: LogFilter): Condition[] {
  const { endpointId, state, eventType, eventId, resourceId, from, to } = filter;
  return [
    ...condition("deliveries.endpoint_id = ?", endpointId),
    ...condition("events.project_id = ?", projectId),
    ...condition("events.mode = ?::smallint", mode),
    ...condition("deliveries.state = ?", state),
    ...condition("events.type = ?", eventType),
    ...condition("deliveries.event_id = ?", eventId),
    ...condition("events.resource_id = ?", resourceId),
    ...condition("deliveries.created_at >= ?", from),
    ...condition("deliveries.created_at < ?", to),
  ];
}

export interface Start {
  id: string;
  created_at: Date;
}

/** Where a list goes on: the delivery with this id, if it is one of this endpoint. */
export async function findStart(
  pool: Pool,
  tenant: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<Start | undefined> {
  const { rows } = await pool.query<Start>(
    `select deliveries.id, deliveries.created_at from ${LOG}
     where deliveries.id = $1 and deliveries.endpoint_id = $2 and events.project_id = $3 and events.mode = $4`,
    [id, endpointId, tenant.projectId, tenant.mode],
  );
  return rows[0];
}

/** Newest first. The total stops at a bound, so that no count reads a whole month. */
export async function listLog(
  pool: Pool,
  tenant: Tenant,
  {
    filter,
    limit,
    offset,
    start,
  }: {
    filter: LogFilter;
    limit: number;
    offset: number;
    start: Start | undefined;
  },
): Promise<{ rows: LoggedDelivery[]; total: number }> {
  const listed = buildConditions(tenant, filter);
  const beyond =
    start === undefined
      ? []
      : [
          {
            text: "(deliveries.created_at, deliveries.id) < (?, ?)",
            values: [start.created_at, start.id],
          },
        ];
  const values: unknown[] = [];
  const text = `
    select total.total, page.*, coalesce(logged.attempts, '[]'::json) as attempts
    from (
      select count(*)::int as total
      from (select from ${LOG} where ${joinConditions(listed, values)} limit ${TOTAL_MAX}) bounded
    ) total left join (
      select ${COLUMNS} from ${LOG} where ${joinConditions([...listed, ...beyond], values)}
      order by deliveries.created_at desc, deliveries.id desc
      limit $${values.push(limit)} offset $${values.push(offset)}
    ) page on true left join lateral (
      select json_agg(attempt order by attempt.number) as attempts from (
        select number, started_at, duration_ms, status_code, error from attempts
        where delivery_id = page.id and day = page.day
      ) attempt
    ) logged on true
    order by page.created_at desc, page.id desc`;
  const { rows } = await pool.query<LoggedDelivery & { total: number }>(text, values);
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}

export interface FullDelivery extends LoggedDelivery {
  body: Buffer;
}

const GET = {
  name: "get-delivery",
  text: `
    select ${COLUMNS}, events.body, (
      select coalesce(json_agg(attempt order by attempt.number), '[]'::json) from (
        select number, started_at, duration_ms, status_code, error, url, retry_after, response_complete,
          encode(response, 'base64') as response
        from attempts where delivery_id = deliveries.id and day = deliveries.day
      ) attempt
    ) as attempts
    from ${LOG}
    where deliveries.id = $1 and deliveries.endpoint_id = $2 and events.project_id = $3 and events.mode = $4`,
};

export async function findDelivery(
  pool: Pool,
  { projectId, mode }: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<FullDelivery | undefined> {
  const { rows } = await pool.query<FullDelivery>({
    ...GET,
    values: [id, endpointId, projectId, mode],
  });
  return rows[0];
}

// One delivery of an event to an endpoint is pending at a time: a redelivery begins only when the newest has ended,
// and the unique key lets one of two requests make it.
const REDELIVER = {
  name: "redeliver",
  text: `
    with newest as (
      select event_id, day, endpoint_id, redeliveries, state from deliveries
      where (event_id, endpoint_id, day) = (select event_id, endpoint_id, day from deliveries where id = $1)
      order by redeliveries desc limit 1
    )
    insert into deliveries (event_id, day, endpoint_id, redeliveries, next_attempt_at)
    select event_id, day, endpoint_id, redeliveries + 1, now() from newest where state <> 'pending'
    on conflict do nothing returning id`,
};

/** The id of the new delivery; undefined while one is under way. The caller has proven whose delivery it is. */
export async function insertRedelivery(pool: Pool, id: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>({ ...REDELIVER, values: [id] });
  return rows[0]?.id;
}

const UNDELIVERED = `
  from deliveries lost
  where lost.endpoint_id = $1 and lost.created_at >= $2 and lost.state in ('failed', 'parked')
    and not exists (
      select from deliveries later where later.event_id = lost.event_id
        and later.day = lost.day and later.endpoint_id = lost.endpoint_id and later.redeliveries > lost.redeliveries
    )`;

const COUNT_UNDELIVERED = {
  name: "count-undelivered",
  text: `select count(*)::int as count from (select ${UNDELIVERED} limit ${RECOVER_MAX}) bounded`,
};

const RECOVER = {
  name: "recover-deliveries",
  text: `
    with lost as (
      select lost.event_id, lost.day, lost.endpoint_id, lost.redeliveries, row_number() over (order by lost.created_at, lost.id) as place
      ${UNDELIVERED} order by lost.created_at, lost.id limit ${RECOVER_MAX}
    ), made as (
      insert into deliveries (event_id, day, endpoint_id, redeliveries, next_attempt_at)
      select event_id, day, endpoint_id, redeliveries + 1, now() + place * interval '1 microsecond' from lost
      on conflict do nothing returning id
    )
    select count(*)::int as count from made`,
};

/** Deliveries that were not delivered, at most 10,000. The caller has proven whose endpoint it is. */
export async function countUndelivered(
  pool: Pool,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<number> {
  return getCount(await pool.query({ ...COUNT_UNDELIVERED, values: [endpointId, since] }));
}

/** Makes a new delivery for each of them, once however often it is asked for. */
export async function recoverUndelivered(
  pool: Pool,
  { endpointId, since }: { endpointId: string; since: Date },
): Promise<number> {
  return getCount(await pool.query({ ...RECOVER, values: [endpointId, since] }));
}

function getCount({ rows }: { rows: { count: number }[] }): number {
  return rows[0]?.count ?? 0;
}
