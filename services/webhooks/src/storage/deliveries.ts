// SQL of the hot path. Each step is one statement for a whole list: events with their deliveries, claims of rows that
// no worker has in memory, and the ends of attempts. A row is changed only by the worker that owns it, at the attempt
// it thinks the row is at, so that a worker which was taken for dead cannot undo what its successor did.
import type { Pool } from "pg";
import type { Delivery, Result } from "../dispatch/delivery.ts";

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

const INSERT = {
  name: "insert-events",
  text: `
    with input as (
      select * from unnest($1::text[], $2::text[], $3::smallint[], $4::text[], $5::text[], $6::int[],
        $7::bytea[], $8::timestamptz[])
      with ordinality as input (id, project_id, mode, type, resource_id, sequence, body, occurred_at, place)
    ), fresh as (
      insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
      select id, project_id, mode, type, resource_id, sequence, body, occurred_at from input
      on conflict do nothing returning id
    )
    insert into deliveries (event_id, endpoint_id, owner, next_attempt_at)
    select input.id, endpoints.id,
      case when endpoints.id = any($10::text[]) then null else $9::int end,
      now() + input.place * interval '1 microsecond'
    from fresh join input using (id)
    join endpoints on endpoints.project_id = input.project_id and endpoints.enabled
      and endpoints.url is not null
      and (cardinality(endpoints.events) = 0 or input.type = any(endpoints.events))
    order by input.place
    on conflict do nothing
    returning id, event_id, endpoint_id, owner`,
};

export interface BornDelivery {
  id: string;
  event_id: string;
  endpoint_id: string;
  /** Absent when it waits in the table for room in memory. */
  owner: number | null;
}

/**
 * Stores events and a delivery for each endpoint that wants them, once however often they come. Deliveries belong to
 * the owner, except those of full endpoints (and all of them when there is no owner).
 */
export const insertEvents = async (
  pool: Pool,
  events: NewEvent[],
  { owner, full }: { owner: number | null; full: string[] },
): Promise<BornDelivery[]> => {
  const { rows } = await pool.query<BornDelivery>({
    ...INSERT,
    values: [
      events.map(({ id }) => id),
      events.map(({ projectId }) => projectId),
      events.map(({ mode }) => mode),
      events.map(({ type }) => type),
      events.map(({ resourceId }) => resourceId),
      events.map(({ sequence }) => sequence),
      events.map(({ body }) => body),
      events.map(({ occurredAt }) => occurredAt),
      owner,
      full,
    ],
  });
  return rows;
};

const FINISH = {
  name: "finish-attempts",
  text: `
    with result as (
      select * from unnest($1::uuid[], $2::int[], $3::smallint[], $4::text[], $5::int[], $6::boolean[],
        $7::timestamptz[], $8::int[], $9::smallint[], $10::text[], $11::text[], $12::text[], $13::bytea[],
        $14::boolean[])
      as result (id, owner, attempts, state, wait_ms, sent, started_at, duration_ms, status_code, error,
        remote_address, retry_after, response, response_complete)
    ), done as (
      update deliveries set
        state = result.state,
        attempts = result.attempts + result.sent::int,
        next_attempt_at = now() + result.wait_ms * interval '1 millisecond',
        owner = case when result.state = 'live' then result.owner end,
        finished_at = case when result.state = 'live' then null else now() end
      from result
      where deliveries.id = result.id and deliveries.owner = result.owner
        and deliveries.attempts = result.attempts and deliveries.state = 'live'
      returning deliveries.id
    ), logged as (
      insert into attempts (delivery_id, number, started_at, duration_ms, status_code, error, remote_address,
        retry_after, response, response_complete)
      select id, attempts + 1, started_at, duration_ms, status_code, error, remote_address, retry_after,
        response, response_complete
      from result join done using (id) where sent
    )
    select id from done`,
};

const NO_BYTES = Buffer.alloc(0);
const NEVER = new Date(0);

/** Writes what came of attempts. Answers the ids whose row was still ours; the others are somebody else's now. */
export const finishAttempts = async (
  pool: Pool,
  results: Result[],
  now: number,
): Promise<Set<string>> => {
  const { rows } = await pool.query<{ id: string }>({
    ...FINISH,
    values: [
      results.map(({ delivery }) => delivery.id),
      results.map(({ delivery }) => delivery.owner),
      results.map(({ delivery }) => delivery.attempts),
      results.map(({ next }) => next.state),
      results.map(({ next, endedAt }) => Math.max(0, Math.round(endedAt + next.delayMs - now))),
      results.map(({ log }) => log !== undefined),
      results.map(({ log }) => log?.startedAt ?? NEVER),
      results.map(({ log }) => log?.durationMs ?? 0),
      results.map(({ log }) => log?.statusCode ?? null),
      results.map(({ log }) => log?.error ?? null),
      results.map(({ log }) => log?.remoteAddress ?? null),
      results.map(({ log }) => log?.retryAfter ?? null),
      results.map(({ log }) => log?.response ?? NO_BYTES),
      results.map(({ log }) => log?.responseComplete ?? true),
    ],
  });
  return new Set(rows.map(({ id }) => id));
};

interface Row {
  id: string;
  endpoint_id: string;
  attempts: number;
  wait_ms: number;
  event_id: string;
  type: string;
  sequence: number;
  body: Buffer;
}

const ROW = `taken.id, taken.endpoint_id, taken.attempts, events.id as event_id, events.type, events.sequence,
  events.body, greatest(0, extract(epoch from taken.next_attempt_at - now()) * 1000)::float8 as wait_ms`;

const deliveryOf = (row: Row, owner: number, now: number): Delivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  owner,
  attempts: row.attempts,
  eventId: row.event_id,
  eventType: row.type,
  sequence: row.sequence,
  body: row.body,
  dueAt: now + row.wait_ms,
});

// The form `= any(array(...))` keeps the planner from scanning the table, and the lateral join keeps one endpoint's
// long backlog out of the way of the others.
const CLAIM = {
  name: "claim-deliveries",
  text: `
    with pick as materialized (
      select delivery.id from unnest($1::text[], $2::int[]) as wanted (endpoint_id, room)
      cross join lateral (
        select id from deliveries
        where deliveries.endpoint_id = wanted.endpoint_id and state = 'live' and owner is null
          and next_attempt_at <= now() + $4 * interval '1 millisecond'
        order by next_attempt_at limit wanted.room for update skip locked
      ) delivery
    ), taken as (
      update deliveries set owner = $3 where id = any(array(select id from pick)) and owner is null
      returning id, endpoint_id, attempts, event_id, next_attempt_at
    )
    select ${ROW} from taken join events on events.id = taken.event_id order by taken.next_attempt_at`,
};

/** Takes deliveries no worker has, as many per endpoint as there is room for, those due within the lookahead. */
export const claimDeliveries = async (
  pool: Pool,
  options: { rooms: Map<string, number>; owner: number; lookaheadMs: number; now: number },
): Promise<Delivery[]> => {
  const { rooms, owner, lookaheadMs, now } = options;
  const values = [[...rooms.keys()], [...rooms.values()], owner, lookaheadMs];
  const { rows } = await pool.query<Row>({ ...CLAIM, values });
  return rows.map((row) => deliveryOf(row, owner, now));
};

const BACKLOG = {
  name: "list-backlog",
  text: `
    with recursive waiting as (
      (select endpoint_id from deliveries where state = 'live' and owner is null and endpoint_id > $1
        order by endpoint_id limit 1)
      union all
      select (select endpoint_id from deliveries
        where state = 'live' and owner is null and endpoint_id > waiting.endpoint_id
        order by endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null
    )
    select endpoint_id from waiting where endpoint_id is not null limit $2`,
};

/** Endpoints with deliveries that no worker has: one step in the index per endpoint, however long its backlog. */
export const listBacklog = async (
  pool: Pool,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> => {
  const { rows } = await pool.query<{ endpoint_id: string }>({
    ...BACKLOG,
    values: [after, limit],
  });
  return rows.map((row) => row.endpoint_id);
};

const OWNED = {
  name: "list-owned",
  text: `select id from deliveries
    where owner = $1 and state = 'live' and created_at < now() - interval '10 seconds'`,
};

/** What a worker owns by the table. Younger rows may still be on their way into its memory. */
export const listOwned = async (pool: Pool, owner: number): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>({ ...OWNED, values: [owner] });
  return rows.map(({ id }) => id);
};

const LOAD = {
  name: "load-owned",
  text: `
    select ${ROW} from deliveries taken join events on events.id = taken.event_id
    where taken.id = any($1::uuid[]) and taken.owner = $2 and taken.state = 'live'
    order by taken.next_attempt_at`,
};

export const loadOwned = async (
  pool: Pool,
  { ids, owner, now }: { ids: string[]; owner: number; now: number },
): Promise<Delivery[]> => {
  const { rows } = await pool.query<Row>({ ...LOAD, values: [ids, owner] });
  return rows.map((row) => deliveryOf(row, owner, now));
};
