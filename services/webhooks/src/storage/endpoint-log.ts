// The delivery logs of endpoints. Every statement proves that the endpoint belongs to the tenant.
import { type Condition, condition, joinConditions, type Queryable } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import { buildBody } from "../domain/included-fields.ts";
import { type FindLogStartRow, getDelivery } from "../generated/sql.ts";

const TOTAL_MAX = 10_000;

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
  /** Of one endpoint, or of all that the tenant has now: a bounded number. */
  endpointIds: readonly string[];
  state: string | undefined;
  eventType: string | undefined;
  eventId: string | undefined;
  resourceId: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

const COLUMNS = `deliveries.id, deliveries.day, deliveries.event_id, events.type, deliveries.endpoint_id, deliveries.state,
  deliveries.created_at, deliveries.redeliveries`;

/**
 * What the filter keeps. The events of a resource are few and lead to their deliveries; otherwise each delivery that is
 * reached looks its event up, so that a page and a total read no more than their bounds.
 */
function buildLog(
  { projectId, mode }: Tenant,
  filter: LogFilter,
  { more = [], values }: { more?: readonly Condition[]; values: unknown[] },
): string {
  const { state, eventType, eventId, resourceId, from, to } = filter;
  const ofEvents = [
    { text: "events.id = deliveries.event_id and events.day = deliveries.day", values: [] },
    ...condition("events.project_id = ?", projectId),
    ...condition("events.mode = ?::smallint", mode),
    ...condition("events.type = ?", eventType),
    ...condition("events.resource_id = ?", resourceId),
  ];
  const ofDeliveries = [
    { text: "deliveries.endpoint_id = own.id", values: [] },
    ...condition("deliveries.state = ?", state),
    ...condition("deliveries.event_id = ?", eventId),
    ...condition("deliveries.created_at >= ?", from),
    ...condition("deliveries.created_at < ?", to),
    ...more,
  ];
  const joined = joinConditions(ofEvents, values);
  const events =
    resourceId === undefined
      ? `cross join lateral (select type from events where ${joined} limit 1) events`
      : `join events on ${joined}`;
  return `deliveries ${events} where ${joinConditions(ofDeliveries, values)}`;
}

/**
 * Newest first. The log of each endpoint is read in the order of its index, as far as the page may reach into it. The
 * total stops at a bound, so that no count reads a whole month.
 */
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
    start: FindLogStartRow | undefined;
  },
): Promise<{ rows: LoggedDelivery[]; total: number }> {
  const more =
    start === undefined
      ? []
      : [
          {
            text: "(deliveries.created_at, deliveries.id) < (?, ?)",
            values: [start.created_at, start.id],
          },
        ];
  const values: unknown[] = [filter.endpointIds];
  const text = `
    select total.total, page.*, coalesce(logged.attempts, '[]'::json) as attempts
    from (
      select count(*)::int as total from (
        select from unnest($1::text[]) as own (id) cross join lateral (
          select from ${buildLog(tenant, filter, { values })}
          order by deliveries.created_at desc, deliveries.id desc limit ${TOTAL_MAX}
        ) counted limit ${TOTAL_MAX}
      ) bounded
    ) total left join (
      select reached.* from unnest($1::text[]) as own (id) cross join lateral (
        select ${COLUMNS} from ${buildLog(tenant, filter, { more, values })}
        order by deliveries.created_at desc, deliveries.id desc
        limit $${values.push(limit + offset)}
      ) reached
      order by created_at desc, id desc
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

export async function findDelivery(
  db: Queryable,
  { projectId, mode }: Tenant,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<FullDelivery | undefined> {
  const [delivery] = await getDelivery(db, { id, endpointId, projectId, mode });
  if (delivery === undefined) return undefined;
  const { body, included, include, ...logged } = delivery;
  return {
    ...logged,
    body: buildBody(body, included, include),
    attempts: delivery.attempts as LoggedAttempt[],
  };
}
