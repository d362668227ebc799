// SQL of events: stored with their deliveries, whose day is the event's, so that they leave together.
import { arrayText, byteaArray } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";

/** An event for merchants, rendered. */
export interface NewEvent {
  id: string;
  projectId: string;
  mode: number;
  type: string;
  resourceId: string;
  sequence: number;
  body: Buffer;
  occurredAt: Date;
}

/** As get_event_day() reckons it. */
function startOfDay(time: string): string {
  return `date_bin('24 hours', ${time}, '2000-01-01 00:00+00'::timestamptz)`;
}

// Whether a day has a partition is looked up once for each day, because the look-up costs about 10 us.
// Positions are drawn in one order of projects, so that two statements cannot wait for each other. A repeated event
// leaves its position unused.
const INSERT = {
  name: "insert-events",
  text: `
    with days as materialized (
      select starts_at, get_event_day(starts_at) as day
      from (select distinct ${startOfDay("occurred_at")} as starts_at from unnest($8::timestamptz[]) occurred_at) started
    ), input as (
      select input.*, days.day from unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::text[], $6::int[],
        $7::bytea[], $8::timestamptz[])
      with ordinality as input (id, project_id, mode, type, resource_id, sequence, body, occurred_at, place)
      join days on days.starts_at = ${startOfDay("occurred_at")}
    ), drawn as (
      insert into event_feeds as feed (project_id, mode, last_position)
      select project_id, mode, count(*) from input group by 1, 2 order by 1, 2
      on conflict (project_id, mode) do update set last_position = feed.last_position + excluded.last_position
      returning project_id, mode, last_position
    ), fresh as (
      insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at, day, position)
      select id, project_id, mode, type, resource_id, sequence, body, occurred_at, day,
        last_position + 1 - row_number() over (partition by project_id, mode order by place desc)
      from input join drawn using (project_id, mode)
      on conflict do nothing returning id
    ), born as (
      insert into deliveries (event_id, day, endpoint_id, state, owner, next_attempt_at, finished_at)
      select input.id, input.day, endpoints.id, case when endpoints.enabled then 'pending' else 'parked' end,
        case when endpoints.enabled and not endpoints.id = any($10::text[]) then $9::int end,
        now() + input.place * interval '1 microsecond', case when not endpoints.enabled then now() end
      from fresh join input using (id)
      join endpoints on endpoints.project_id = input.project_id and endpoints.mode = input.mode
        and endpoints.url is not null
        and (cardinality(endpoints.events) = 0 or input.type = any(endpoints.events))
      order by input.place
      on conflict do nothing
      returning id, day, event_id, endpoint_id, owner, state
    )
    select born.id, born.day::text, born.event_id, born.endpoint_id, born.owner, endpoints.xmin::text as endpoint_version
    from born join endpoints on endpoints.id = born.endpoint_id
    where born.state = 'pending'`,
};

export interface CreatedDelivery {
  id: string;
  day: string;
  event_id: string;
  endpoint_id: string;
  /** Absent when it waits in the table for room in memory. */
  owner: number | null;
  endpoint_version: string;
}

/**
 * Stores events and a delivery for each endpoint that wants them, once however often they come. Deliveries belong to
 * the owner, except those of full endpoints (and all of them when there is no owner). Those of disabled endpoints are
 * parked and not returned.
 */
export async function insertEvents(
  pool: Pool,
  events: NewEvent[],
  { owner, full }: { owner: number | null; full: string[] },
): Promise<CreatedDelivery[]> {
  const { rows } = await pool.query<CreatedDelivery>({
    ...INSERT,
    values: [
      arrayText(events.map(({ id }) => id)),
      arrayText(events.map(({ projectId }) => projectId)),
      arrayText(events.map(({ mode }) => mode)),
      arrayText(events.map(({ type }) => type)),
      arrayText(events.map(({ resourceId }) => resourceId)),
      arrayText(events.map(({ sequence }) => sequence)),
      byteaArray(events.map(({ body }) => body)),
      arrayText(events.map(({ occurredAt }) => occurredAt.toISOString())),
      owner,
      full,
    ],
  });
  return rows;
}

export interface FeedEvent {
  id: string;
  type: string;
  resource_id: string;
  sequence: number;
  occurred_at: Date;
  body: Buffer;
}

/** The position of a tenant's event; undefined where it has none. */
export async function findPosition(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    "select position from events where id = $1 and project_id = $2 and mode = $3",
    [id, projectId, mode],
  );
  return rows[0]?.position ?? undefined;
}

/** A tenant's events in their order, those after a position. */
export async function listFeed(
  pool: Pool,
  { projectId, mode }: Tenant,
  { after, limit }: { after: string; limit: number },
): Promise<FeedEvent[]> {
  const { rows } = await pool.query<FeedEvent>({
    name: "list-feed",
    text: `
      select id, type, resource_id, sequence, occurred_at, body from events
      where project_id = $1 and mode = $2 and position > $3 order by position limit $4`,
    values: [projectId, mode, after, limit],
  });
  return rows;
}

const POSITIONS = {
  name: "feed-positions",
  text: `
    select coalesce(feed.last_position, 0)::text as position
    from unnest($1::text[], $2::smallint[]) with ordinality wanted (project_id, mode, place)
    left join event_feeds feed using (project_id, mode) order by place`,
};

/** How far the feed of each tenant has come. */
export async function listPositions(pool: Pool, tenants: readonly Tenant[]): Promise<bigint[]> {
  const values = [tenants.map(({ projectId }) => projectId), tenants.map(({ mode }) => mode)];
  const { rows } = await pool.query<{ position: string }>({ ...POSITIONS, values });
  return rows.map(({ position }) => BigInt(position));
}

const INSERT_PING = `
  with stored as (
    insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
    values ($1, $2, $3, $4, $5, 0, $6, $7) returning id, day
  )
  insert into deliveries (event_id, day, endpoint_id, next_attempt_at)
  select id, day, $5, now() from stored returning id`;

/** Stores an event for one endpoint alone, and answers the id of its delivery. */
export async function insertPing(
  pool: Pool,
  { projectId, mode }: Tenant,
  ping: { id: string; type: string; endpointId: string; body: Buffer; occurredAt: Date },
): Promise<string> {
  const { id, type, endpointId, body, occurredAt } = ping;
  const values = [id, projectId, mode, type, endpointId, body, occurredAt];
  const { rows } = await pool.query<{ id: string }>(INSERT_PING, values);
  return rows[0]?.id ?? "";
}
