// From the outbox to the bus: read the oldest rows, publish them, delete them. Rows are deleted, not passed by a
// cursor, because ids are handed out before a commit: a cursor would skip the row of a transaction that commits late.
// A read begins at the floor (low-water-mark.ts), so that it does not pass the rows that were deleted before.
//
// A lock in the database keeps replicas from publishing the same rows. Order and completeness do not depend on it:
// every relay publishes the oldest rows first and moves on only after the acknowledgement, so even two relays at
// once produce repeats, never a gap and never a first appearance out of order.
//
// The lock is held across the send, but only for a short while. A send that takes longer goes on without lock,
// transaction and connection, and its rows are deleted when it is acknowledged after all. So a slow bus still makes
// progress, and a frozen one holds no transaction open.
//
// Failure modes:
// - the process is killed or frozen between acknowledgement and delete: the rows are published again, under the same
//   event ids. The server ends the transaction of a frozen relay after a few seconds, so that another replica can go
//   on.
// - the bus is away or refuses: nothing is deleted, the next round starts with the same rows.
// - the bus will never take a row: it moves to dead_letters, in the transaction that deletes the others.
// - a wake is lost: the next round starts after the interval.
import { type Database, getSqlState, transaction } from "@pay/database";
import { every, type Log, type Runtime, traceAll } from "@pay/process";
import type { PoolClient, QueryResult } from "pg";
import { Counter } from "prom-client";
import { type Bus, type BusRecord, RefusedRecords } from "../bus/bus.ts";
import { readEnvelope } from "../bus/kafka/envelope.ts";
import { watchDeadLetters } from "../dead-letters/watch.ts";
import { recordRefusedEvents } from "../generated/sql.ts";
import { settlesWithin } from "../pause.ts";
import { startOutboxGauges } from "./gauges.ts";
import { createLowWaterMark, type LowWaterMark } from "./low-water-mark.ts";

const ROWS_MAX = 2000;
const INTERVAL_MS = 1_000;
/** As consumers pause: events are late by no more than this once the bus takes them again. */
const RETRY_PAUSE_MAX_MS = 2_000;
const HOLD_MS = 2_000;
const LOCK_WAIT_MS = 3_000;
const IDLE_MAX_MS = 5_000;
const LOCK_NOT_AVAILABLE = "55P03";
const QUERY_CANCELED = "57014";

export interface RelayOptions {
  db: Database;
  bus: Bus;
  runtime: Runtime;
  /** Pause between two rounds without a wake. */
  intervalMs?: number;
  /** How long a send may keep the lock and its transaction. */
  holdMs?: number;
}

export interface Relay {
  /** To be called after a commit that wrote outbox rows; any number of calls during a round cause one more round. */
  wake(): void;
}

export function startRelay(options: RelayOptions): Relay {
  const { db, runtime, intervalMs = INTERVAL_MS } = options;
  const floor = createLowWaterMark();
  startOutboxGauges({ db, runtime, floor });
  watchDeadLetters({ db, runtime });
  const stop = new AbortController();
  const name = `relay of ${db.name}`;
  const job = every({
    name,
    intervalMs,
    retryPauseMaxMs: RETRY_PAUSE_MAX_MS,
    runtime,
    act: () => drain(options, floor, stop.signal),
  });
  // Registered last, hence undone first: the round under way, which the job's own stop waits for, ends early.
  runtime.onStop(`rounds of the ${name}`, () => stop.abort());
  return job;
}

/** Rounds until nothing is left. */
async function drain(
  options: RelayOptions,
  floor: LowWaterMark,
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    if ((await relayOnce(options, floor, stopping)) < ROWS_MAX) return;
  }
}

interface Row extends Omit<BusRecord, "payload"> {
  id: string;
  payload: Buffer;
}

/** One list; returns how many rows it found. */
async function relayOnce(
  options: RelayOptions,
  floor: LowWaterMark,
  stopping: AbortSignal,
): Promise<number> {
  const { db, bus, runtime, holdMs = HOLD_MS } = options;
  const { service } = runtime;
  const client = await db.pool.connect();
  let held: PoolClient | undefined = client;
  function release(fault?: Error) {
    held?.release(fault);
    held = undefined;
  }

  try {
    const rows = await lockAndRead(client, floor);
    if (rows.length === 0) {
      await client.query("rollback");
      return 0;
    }
    const sending = publish(bus, rows);
    if (!(await settlesWithin(sending, holdMs))) {
      await client.query("rollback");
      release();
      if (!(await settlesBefore(sending, stopping))) return 0;
    }
    const refused = await sending;
    await remove(db, held, rows, refused);
    published.inc({ service, result: "ok" }, rows.length - refused.length);
    logChanges(runtime.log, rows, refused);
    if (refused.length > 0) {
      published.inc({ service, result: "refused" }, refused.length);
      runtime.log.error({ eventIds: refused }, "the bus refuses events: moved to dead_letters");
    }
    return rows.length;
  } catch (error) {
    await held?.query("rollback").catch(release);
    // Another replica holds the lock and publishes the same rows.
    if (getSqlState(error) === LOCK_NOT_AVAILABLE) return 0;
    published.inc({ service, result: "failed" });
    throw error;
  } finally {
    release();
  }
}

/** A line for each change of a resource, by which a request and a payment are followed through all services. */
function logChanges(log: Log, rows: readonly Row[], refused: readonly string[]): void {
  if (!log.isLevelEnabled("info")) return;
  for (const { eventId, type, requestId, payload } of rows) {
    if (refused.includes(eventId)) continue;
    const { resourceId, projectId, mode } = readEnvelope(payload);
    const cause = requestId === "" ? {} : { requestId };
    log.info({ type, resourceId, projectId, mode, ...cause, eventId }, "event published");
  }
}

// One round trip. The read has a snapshot of its own, taken once the lock is ours.
const lockAndReadAbove = (floor: bigint) => `
  begin;
  set local idle_in_transaction_session_timeout = ${IDLE_MAX_MS};
  set local lock_timeout = ${LOCK_WAIT_MS};
  select pg_advisory_xact_lock(hashtext('outbox'));
  select case when is_called then last_value else 0 end as "lastId" from outbox_id_seq;
  select pg_snapshot_xmin(pg_current_snapshot()) as "oldestTransaction", pg_current_xact_id() as "nextTransaction";
  select id, event_id as "eventId", type, topic, key, request_id as "requestId", payload
    from outbox where id > ${floor} order by id limit ${ROWS_MAX}`;

async function lockAndRead(client: PoolClient, floor: LowWaterMark): Promise<Row[]> {
  // Several statements in one query are answered by a list of results.
  const results = await client
    .query(lockAndReadAbove(floor.next()))
    .then((answer) => answer as unknown as QueryResult[])
    .catch((error: unknown) => {
      const state = getSqlState(error);
      if (state === QUERY_CANCELED) floor.tookTooLong();
      else if (state !== LOCK_NOT_AVAILABLE) floor.forget();
      throw error;
    });
  const [sequence, transactions, read] = results.slice(-3);
  const rows: Row[] = read?.rows ?? [];
  floor.learn({
    lastId: BigInt(sequence?.rows[0].lastId),
    oldestTransaction: BigInt(transactions?.rows[0].oldestTransaction),
    nextTransaction: BigInt(transactions?.rows[0].nextTransaction),
    lowestId: rows[0] && BigInt(rows[0].id),
  });
  return rows;
}

/** Returns the ids of the events that the bus will never take. */
async function publish(bus: Bus, rows: Row[]): Promise<readonly string[]> {
  const requestIds = rows.map(({ requestId }) => requestId);
  const plan = {
    name: "publish",
    kind: "producer",
    describe: (at: number) => describeRow(rows[at]),
  } as const;
  try {
    await traceAll(plan, requestIds, (own) =>
      bus.publish(
        own === requestIds ? rows : rows.map((row, at) => ({ ...row, requestId: own[at] ?? "" })),
      ),
    );
    return [];
  } catch (error) {
    if (error instanceof RefusedRecords) return error.eventIds;
    throw error;
  }
}

function describeRow(row: Row | undefined): Record<string, string> {
  if (row === undefined) return {};
  const { topic, type, eventId, payload } = row;
  return {
    "messaging.destination.name": topic,
    "messaging.message.id": eventId,
    "event.type": type,
    "resource.id": readEnvelope(payload).resourceId,
  };
}

async function remove(
  db: Database,
  held: PoolClient | undefined,
  rows: Row[],
  refused: readonly string[],
): Promise<void> {
  // The ids are the database's own numbers; as text they can share a round trip with the commit.
  const removal = `delete from outbox where id = any('{${rows.map((row) => row.id)}}'::bigint[])`;
  if (held === undefined) {
    await transaction(db.pool, async (tx) => {
      await recordRefused(tx, refused);
      await tx.query(removal);
    });
  } else {
    await recordRefused(held, refused);
    await held.query(`${removal}; commit`);
  }
}

async function recordRefused(tx: PoolClient, eventIds: readonly string[]): Promise<void> {
  if (eventIds.length > 0) await recordRefusedEvents(tx, { eventIds });
}

/** False when a stop comes first; the next relay then publishes again what is still under way. */
function settlesBefore(sending: Promise<unknown>, stopping: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    function onStop() {
      return resolve(false);
    }

    stopping.addEventListener("abort", onStop);
    if (stopping.aborted) onStop();
    sending
      .then(() => resolve(true), reject)
      .finally(() => {
        stopping.removeEventListener("abort", onStop);
      });
  });
}

const published = new Counter({
  name: "outbox_publish_total",
  help: "Events published, refused by the bus, and lists that failed",
  labelNames: ["service", "result"],
});
