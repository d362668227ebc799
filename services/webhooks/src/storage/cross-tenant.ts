// SQL across tenants: a worker claims, loads and finishes the deliveries of all projects. Each step is one statement
// for a whole list. A row is changed only by the worker that owns it, and only at the attempt that the worker knows, so
// that a worker which others removed cannot undo what its successor did. The statements on partitions have no name, so
// that each run is planned for the partitions as they are: a plan that was kept from the time when today's partition
// held ten rows would read the whole partition for every result.
import { arrayText, byteaArray } from "@pay/database";
import type { Pool } from "pg";
import type { Delivery, Result } from "../delivery/delivery.ts";
import { type DeliveryRow, toDelivery } from "./delivery-rows.ts";

export interface EndpointRow {
  id: string;
  /** Another one after every change of the row. */
  version: string;
  url: string | null;
  enabled: boolean;
  signature_scheme: string;
  concurrency_max: number;
  secret_seq: number;
  sealed: Buffer;
  /** Of the secret that follows the one in force; absent without a rotation. */
  next_seq: number | null;
  next_sealed: Buffer | null;
}

// The secrets of all endpoints are read at once. Looked up for each endpoint, they would be found by reading the whole
// table each time while its statistics are from when it was small, which is right after many endpoints were created.
const FIND = {
  name: "find-endpoints",
  text: `
    with given as materialized (
      select endpoint_id, seq, sealed, active_at <= now() as is_active from secrets where endpoint_id = any($1::text[])
    ), secret as materialized (
      select distinct on (endpoint_id) * from given where is_active order by endpoint_id, seq desc
    ), next as materialized (
      select distinct on (endpoint_id) * from given where not is_active order by endpoint_id, seq desc
    )
    select endpoints.id, endpoints.xmin::text as version, url, enabled, signature_scheme, concurrency_max,
      secret.seq as secret_seq, secret.sealed, next.seq as next_seq, next.sealed as next_sealed
    from endpoints join secret on secret.endpoint_id = endpoints.id left join next on next.endpoint_id = endpoints.id
    where endpoints.id = any($1::text[])`,
};

/** Endpoints with the secret in force; one that is gone is not in the answer. */
export async function findEndpoints(pool: Pool, ids: string[]): Promise<EndpointRow[]> {
  const { rows } = await pool.query<EndpointRow>({ ...FIND, values: [ids] });
  return rows;
}

// Only live deliveries have an owner (deliveries_end_free), so the state needs no condition of its own. With one the
// planner may walk an index of live rows once for each result, which is the product of both numbers. The days that
// choose the partitions are given once each, because the planner expects a search of the key for every one of them.
// What is answered are the results that were not written: there are hardly any, and each answered row costs as much as
// a few rows that are sent.
const FINISH = `
    with result as (
      select * from unnest($1::uuid[], $2::int[], $3::smallint[], $4::text[], $5::int[], $6::boolean[],
        $7::timestamptz[], $8::int[], $9::smallint[], $10::text[], $11::text[], $12::text[], $13::bytea[],
        $14::boolean[], $15::text[], $16::timestamptz[])
      as result (id, owner, attempts, state, wait_ms, sent, started_at, duration_ms, status_code, error,
        remote_address, retry_after, response, response_complete, url, day)
    ), done as (
      update deliveries set
        state = result.state,
        attempts = result.attempts + result.sent::int,
        next_attempt_at = now() + result.wait_ms * interval '1 millisecond',
        owner = case when result.state = 'pending' then result.owner end,
        finished_at = case when result.state = 'pending' then null else now() end
      from result
      where deliveries.day = any($17) and deliveries.id = result.id and deliveries.day = result.day
        and deliveries.owner = result.owner and deliveries.attempts = result.attempts
      returning deliveries.id
    ), logged as (
      insert into attempts (delivery_id, number, started_at, duration_ms, status_code, error, remote_address,
        retry_after, response, response_complete, url, day)
      select id, attempts + 1, started_at, duration_ms, status_code, error, remote_address, retry_after,
        response, response_complete, url, day
      from result join done using (id) where sent
      on conflict do nothing
    )
    select id from result where not exists (select from done where done.id = result.id)`;

const NO_BYTES = Buffer.alloc(0);
const NEVER = new Date(0).toISOString();

/** Writes the results of attempts. Answers the ids whose rows this worker still owned; others own the rest now. */
export async function finishAttempts(
  pool: Pool,
  results: Result[],
  now: number,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    text: FINISH,
    values: [
      arrayText(results.map(({ delivery }) => delivery.id)),
      arrayText(results.map(({ delivery }) => delivery.owner)),
      arrayText(results.map(({ delivery }) => delivery.attempts)),
      arrayText(results.map(({ next }) => next.state)),
      arrayText(results.map((result) => waitMs(result, now))),
      arrayText(results.map(({ log }) => log !== undefined)),
      arrayText(results.map(({ log }) => log?.startedAt.toISOString() ?? NEVER)),
      arrayText(results.map(({ log }) => log?.durationMs ?? 0)),
      arrayText(results.map(({ log }) => log?.statusCode)),
      arrayText(results.map(({ log }) => log?.error)),
      arrayText(results.map(({ log }) => log?.remoteAddress)),
      arrayText(results.map(({ log }) => log?.retryAfter)),
      byteaArray(results.map(({ log }) => log?.response ?? NO_BYTES)),
      arrayText(results.map(({ log }) => log?.responseComplete ?? true)),
      arrayText(results.map(({ log }) => log?.url)),
      arrayText(results.map(({ delivery }) => delivery.day)),
      listDays(results.map(({ delivery }) => delivery)),
    ],
  });
  const lost = new Set(rows.map(({ id }) => id));
  const ids = results.map(({ delivery }) => delivery.id);
  return new Set(lost.size === 0 ? ids : ids.filter((id) => !lost.has(id)));
}

function waitMs({ next, endedAt }: Result, now: number): number {
  return Math.max(0, Math.round(endedAt + next.delayMs - now));
}

/** Each day once. */
function listDays(deliveries: readonly Pick<Delivery, "day">[]): string[] {
  return [...new Set(deliveries.map(({ day }) => day))];
}

/** Of the deliveries `taken` and their `events`. */
const DELIVERY_COLUMNS = `taken.id, taken.day::text, taken.endpoint_id, taken.attempts,
  (select xmin::text from endpoints where endpoints.id = taken.endpoint_id) as endpoint_version, events.id as event_id, events.mode, events.type,
  events.resource_id, events.sequence, events.body, greatest(0, extract(epoch from taken.next_attempt_at - now()) * 1000)::float8 as wait_ms`;

// The form `= any(array(...))` keeps the planner from scanning the table, and the lateral join keeps one endpoint's
// long backlog out of the way of the others.
const CLAIM = `
    with pick as materialized (
      select delivery.id, delivery.day from unnest($1::text[], $2::int[]) as wanted (endpoint_id, room)
      cross join lateral (
        select id, day from deliveries
        where deliveries.endpoint_id = wanted.endpoint_id and state = 'pending' and owner is null and day >= $5
          and next_attempt_at <= now() + $4 * interval '1 millisecond'
        order by next_attempt_at limit wanted.room for update skip locked
      ) delivery
    ), taken as (
      update deliveries set owner = $3
      where id = any(array(select id from pick)) and day = any(array(select distinct day from pick))
        and day >= $5 and owner is null
      returning id, day, endpoint_id, attempts, event_id, next_attempt_at
    )
    select ${DELIVERY_COLUMNS} from taken join events on events.id = taken.event_id and events.day = taken.day and events.day >= $5
    order by taken.next_attempt_at`;

/**
 * Claims deliveries that no worker owns, as many per endpoint as there is room for, those due within the lookahead and
 * of this day or later.
 */
export async function claimDeliveries(
  pool: Pool,
  options: {
    rooms: Map<string, number>;
    owner: number;
    lookaheadMs: number;
    since: Date;
    now: () => number;
  },
): Promise<Delivery[]> {
  const { rooms, owner, lookaheadMs, since, now } = options;
  const values = [[...rooms.keys()], [...rooms.values()], owner, lookaheadMs, since];
  const requestedAt = now();
  const { rows } = await pool.query<DeliveryRow>(CLAIM, values);
  const times = { requestedAt, respondedAt: now() };
  return rows.map((row) => toDelivery(row, owner, times));
}

const BACKLOG = `
    with recursive waiting as (
      (select endpoint_id from deliveries where state = 'pending' and owner is null and day >= $3 and endpoint_id > $1
        order by endpoint_id limit 1)
      union all
      select (select endpoint_id from deliveries
        where state = 'pending' and owner is null and day >= $3 and endpoint_id > waiting.endpoint_id
        order by endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null
    )
    select endpoint_id from waiting where endpoint_id is not null limit $2`;

/** Endpoints with deliveries that no worker has: one step in the index per endpoint, however long its backlog. */
export async function listBacklog(
  pool: Pool,
  { after, limit, since }: { after: string; limit: number; since: Date },
): Promise<string[]> {
  const { rows } = await pool.query<{ endpoint_id: string }>(BACKLOG, [after, limit, since]);
  return rows.map((row) => row.endpoint_id);
}

const OWNED = `
  select id from deliveries
  where owner = $1 and state = 'pending' and created_at < now() - interval '10 seconds'`;

/** What a worker owns by the table. Younger rows may still be on their way into its memory. */
export async function listOwned(pool: Pool, owner: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(OWNED, [owner]);
  return rows.map(({ id }) => id);
}

const LOAD = `
    select ${DELIVERY_COLUMNS} from deliveries taken join events on events.id = taken.event_id and events.day = taken.day
    where taken.id = any($1::uuid[]) and taken.owner = $2 and taken.state = 'pending'
    order by taken.next_attempt_at`;

export async function loadOwned(
  pool: Pool,
  { ids, owner, now }: { ids: string[]; owner: number; now: () => number },
): Promise<Delivery[]> {
  const requestedAt = now();
  const { rows } = await pool.query<DeliveryRow>(LOAD, [ids, owner]);
  const times = { requestedAt, respondedAt: now() };
  return rows.map((row) => toDelivery(row, owner, times));
}

const RELEASE = `
  update deliveries set owner = null
  where id = any($1::uuid[]) and day = any($2::timestamptz[]) and owner = $3`;

/** Gives deliveries back to the table, where another worker claims them. */
export async function releaseDeliveries(
  pool: Pool,
  { deliveries, owner }: { deliveries: Pick<Delivery, "id" | "day">[]; owner: number },
): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  await pool.query(RELEASE, [ids, listDays(deliveries), owner]);
}
