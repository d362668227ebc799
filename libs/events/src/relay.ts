// From the outbox to the bus: read the oldest rows, publish them, delete them. Rows are deleted, not passed by a
// cursor, because ids are handed out before a commit: a cursor would skip the row of a transaction that commits late.
//
// A lock in the database keeps replicas from doing each other's work. Order and completeness do not depend on it:
// every relay publishes the oldest rows first and moves on only after the acknowledgement, so even two relays at
// once produce repeats, never a gap and never a first appearance out of order.
//
// The lock is held across the send, but only for a short while. A send that takes longer goes on without lock,
// transaction and connection, and its rows are deleted when it is acknowledged after all. So a slow bus still makes
// progress, and a frozen one holds no transaction open.
//
// What can go wrong, and what happens then:
// - killed or frozen between acknowledgement and delete: the rows are published again, under the same event ids.
//   The server ends the transaction of a frozen relay after a few seconds, so that another replica can go on.
// - bus away or refusing: nothing is deleted, the next round starts with the same rows.
// - a row the bus will never take: it moves to dead_letters, in the transaction that deletes the others.
// - a wake that gets lost: the next round comes by itself after the interval.
import { type Database, sqlStateOf, transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { PoolClient, QueryResult } from "pg";
import { Counter } from "prom-client";
import { type Bus, type BusRecord, RefusedRecords } from "./bus.ts";
import { startOutboxGauges } from "./outbox-gauges.ts";
import { settlesWithin } from "./pause.ts";

const ROWS_MAX = 2000;
const INTERVAL_MS = 1_000;
const HOLD_MS = 2_000;
const LOCK_WAIT_MS = 3_000;
const IDLE_MAX_MS = 5_000;
const LOCK_NOT_AVAILABLE = "55P03";

export interface RelayOptions {
  db: Database;
  bus: Bus;
  runtime: Runtime;
  /** Between two rounds nobody asked for. */
  intervalMs?: number;
  /** How long a send may keep the lock and its transaction. */
  holdMs?: number;
}

export interface Relay {
  /** To be called after a commit that wrote outbox rows; any number of calls during a round cost one more. */
  wake(): void;
}

export const startRelay = (options: RelayOptions): Relay => {
  const { db, runtime, intervalMs = INTERVAL_MS } = options;
  startOutboxGauges({ db, runtime });
  const stop = new AbortController();
  const name = `relay of ${db.name}`;
  const job = every({ name, intervalMs, runtime, act: () => drain(options, stop.signal) });
  // Registered last, hence undone first: the round under way, which the job's own stop waits for, ends early.
  runtime.onStop(`rounds of the ${name}`, () => stop.abort());
  return job;
};

/** Rounds until nothing is left. */
const drain = async (options: RelayOptions, stopping: AbortSignal): Promise<void> => {
  while (!stopping.aborted) {
    if ((await relayOnce(options, stopping)) < ROWS_MAX) return;
  }
};

interface Row extends Omit<BusRecord, "payload"> {
  id: string;
  payload: Buffer;
}

/** One list: answers how many rows it found. */
const relayOnce = async (options: RelayOptions, stopping: AbortSignal): Promise<number> => {
  const { db, bus, runtime, holdMs = HOLD_MS } = options;
  const { service } = runtime;
  const client = await db.pool.connect();
  let held: PoolClient | undefined = client;
  const release = (fault?: Error) => {
    held?.release(fault);
    held = undefined;
  };
  try {
    const rows = await lockAndRead(client);
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
    if (refused.length > 0) {
      published.inc({ service, result: "refused" }, refused.length);
      runtime.log.error({ eventIds: refused }, "the bus refuses events: moved to dead_letters");
    }
    return rows.length;
  } catch (error) {
    await held?.query("rollback").catch(release);
    // Another replica is at it, and it finds what we would have found.
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return 0;
    published.inc({ service, result: "failed" });
    throw error;
  } finally {
    release();
  }
};

// One round trip. The read has a snapshot of its own, taken once the lock is ours.
const LOCK_AND_READ = `
  begin;
  set local idle_in_transaction_session_timeout = ${IDLE_MAX_MS};
  set local lock_timeout = ${LOCK_WAIT_MS};
  select pg_advisory_xact_lock(hashtext('outbox'));
  select id, event_id as "eventId", type, topic, key, request_id as "requestId", payload
    from outbox order by id limit ${ROWS_MAX}`;

const lockAndRead = async (client: PoolClient): Promise<Row[]> => {
  // Several statements in one query are answered by a list of results.
  const results = (await client.query(LOCK_AND_READ)) as unknown as QueryResult<Row>[];
  return results.at(-1)?.rows ?? [];
};

/** Answers the ids of the events the bus will never take. */
const publish = async (bus: Bus, rows: Row[]): Promise<readonly string[]> => {
  try {
    await bus.publish(rows);
    return [];
  } catch (error) {
    if (error instanceof RefusedRecords) return error.eventIds;
    throw error;
  }
};

const remove = async (
  db: Database,
  held: PoolClient | undefined,
  rows: Row[],
  refused: readonly string[],
): Promise<void> => {
  // The ids are the database's own numbers; as text they can share a round trip with the commit.
  const removal = `delete from outbox where id = any('{${rows.map((row) => row.id)}}'::bigint[])`;
  if (held === undefined) {
    await transaction(db.pool, async (tx) => {
      await bury(tx, refused);
      await tx.query(removal);
    });
  } else {
    await bury(held, refused);
    await held.query(`${removal}; commit`);
  }
};

const bury = async (tx: PoolClient, refused: readonly string[]): Promise<void> => {
  if (refused.length > 0) await tx.query(BURY, [refused]);
};

const BURY = `
  insert into dead_letters (consumer, topic, event_id, payload, error)
    select 'relay', topic, event_id, payload, 'refused by the bus' from outbox
    where event_id = any($1::text[])`;

/** False when a stop comes first; what is still under way is then published again by whoever comes next. */
const settlesBefore = (sending: Promise<unknown>, stopping: AbortSignal): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const onStop = () => resolve(false);
    stopping.addEventListener("abort", onStop);
    if (stopping.aborted) onStop();
    sending
      .then(() => resolve(true), reject)
      .finally(() => {
        stopping.removeEventListener("abort", onStop);
      });
  });

const published = new Counter({
  name: "outbox_publish_total",
  help: "Events published, refused by the bus, and lists that failed",
  labelNames: ["service", "result"],
});
