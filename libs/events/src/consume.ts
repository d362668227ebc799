// From the bus into a service, effectively once. Per list of records ONE transaction: the ids go into the inbox,
// what was not there yet goes to the handler, in order, and its effects commit together with the ids. A repeated
// event finds its id in the inbox and is dropped.
//
// What can go wrong, and what happens then:
// - killed anywhere: the transaction never was, and the bus brings the records again; or it was, and they are repeats.
// - database or another service away: the same list again, with pauses, for as long as it takes. Infrastructure never
//   makes an event a dead letter.
// - an event the handler cannot digest: its list is undone and taken one by one; the event that keeps failing is put
//   into dead_letters, its id into the inbox, and the rest moves on.
// - bytes that are no event: into dead_letters at once.
import { type Database, sqlStateOf, transaction } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import type { Event } from "@pay/proto";
import { Failure, type FailureKind } from "@pay/rpc";
import type { PoolClient } from "pg";
import { Counter } from "prom-client";
import type { Bus, BusRecord } from "./bus.ts";
import { claimedId, openRecord } from "./envelope.ts";
import { purgeInbox } from "./inbox.ts";
import { pause } from "./pause.ts";

const TRIES_MAX = 5;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 2_000;
const PURGE_EVERY_MS = 3_600_000;
const ERROR_CHARS_MAX = 500;

export interface ConsumeOptions {
  bus: Bus;
  db: Database;
  runtime: Runtime;
  /** Who consumes: the group on the bus and the owner of the ids in the inbox. Never changes. */
  consumer: string;
  topics: readonly string[];
  /**
   * The effects of new events, in order, on the transaction that also remembers them. Throwing undoes both. Events
   * of a type it does not care for it lets pass.
   */
  handle(events: Event[], tx: PoolClient): Promise<void>;
  /** Once effects are committed, e.g. to wake the relay that publishes what they wrote. */
  afterCommit?(): void;
}

export const consume = async (options: ConsumeOptions): Promise<void> => {
  const { bus, db, runtime, consumer, topics } = options;
  const stop = new AbortController();
  const take = createTaker(options, stop.signal);
  let underWay: Promise<void> = Promise.resolve();
  every({
    name: `inbox purge of ${consumer}`,
    intervalMs: PURGE_EVERY_MS,
    runtime,
    act: () => purgeInbox(db.pool, consumer),
  });
  await bus.subscribe({
    group: consumer,
    topics,
    handle: (records) => {
      const taken = take(records);
      underWay = taken.catch(() => {});
      return taken;
    },
  });
  // Registered last, hence undone first: a bus that stops waits for its handler, which must not wait for ever then.
  runtime.onStop(`events for ${consumer}`, () => {
    stop.abort();
    return underWay;
  });
};

interface Letter {
  record: BusRecord;
  event: Event;
}

interface DeadLetter {
  record: BusRecord;
  eventId: string | null;
  error: string;
}

const createTaker = (
  { db, runtime: { log }, consumer, handle, afterCommit }: ConsumeOptions,
  stopping: AbortSignal,
) => {
  const take = async (records: BusRecord[]): Promise<void> => {
    const { letters, dead } = sort(records);
    try {
      await patiently(() => takeTogether(letters, dead));
    } catch (error) {
      if (stopping.aborted) throw error;
      log.warn({ err: error, consumer, events: letters.length }, "a list fails: one by one");
      await patiently(() => takeTogether([], dead));
      for (const letter of letters) await takeAlone(letter);
    }
  };

  const takeTogether = async (letters: Letter[], dead: DeadLetter[]): Promise<void> => {
    if (letters.length + dead.length === 0) return;
    const handled = await transaction(db.pool, async (tx) => {
      await bury(tx, dead);
      const events = await remember(tx, letters);
      if (events.length > 0) await handle(events, tx);
      return events.length;
    });
    if (handled > 0) afterCommit?.();
    consumed.inc({ consumer, result: "handled" }, handled);
    consumed.inc({ consumer, result: "repeated" }, letters.length - handled);
    if (dead.length > 0) consumed.inc({ consumer, result: "dead" }, dead.length);
  };

  const takeAlone = async (letter: Letter): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        return await patiently(() => takeTogether([letter], []));
      } catch (error) {
        if (stopping.aborted) throw error;
        if (tries === TRIES_MAX) return await giveUp(letter, error);
        await pause(PAUSE_MS * 2 ** tries, stopping);
      }
    }
  };

  const giveUp = async ({ record, event }: Letter, error: unknown): Promise<void> => {
    log.error({ err: error, consumer, eventId: event.id }, "an event became a dead letter");
    const dead = [{ record, eventId: event.id, error: textOf(error) }];
    await patiently(() =>
      transaction(db.pool, async (tx) => {
        const [fresh] = await remember(tx, [{ record, event }]);
        if (fresh !== undefined) await bury(tx, dead);
      }),
    );
    consumed.inc({ consumer, result: "dead" });
  };

  /** Answers the events that are new to the inbox, in order. */
  const remember = async (tx: PoolClient, letters: Letter[]): Promise<Event[]> => {
    if (letters.length === 0) return [];
    const events = new Map(letters.map(({ event }) => [event.id, event]));
    const values = [consumer, [...events.keys()]];
    const { rows } = await tx.query<{ event_id: string }>({ ...REMEMBER, values });
    if (rows.length === events.size) return [...events.values()];
    const fresh = new Set(rows.map((row) => row.event_id));
    return [...events.values()].filter(({ id }) => fresh.has(id));
  };

  const bury = async (tx: PoolClient, dead: DeadLetter[]): Promise<void> => {
    for (const { record, eventId, error } of dead) {
      await tx.query(BURY, [consumer, record.topic, eventId, record.payload, error]);
    }
  };

  /** Again and again while what fails is not the event's fault; ends with a stop. */
  const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let failures = 1; ; failures++) {
      if (stopping.aborted) throw new Error("stopping");
      try {
        return await work();
      } catch (error) {
        if (!isPassing(error)) throw error;
        log.warn({ err: error, consumer, failures }, "events wait for what they need");
        await pause(Math.min(PAUSE_MS * 2 ** failures, PAUSE_MAX_MS), stopping);
      }
    }
  };

  return take;
};

const REMEMBER = {
  name: "inbox-remember",
  text: `insert into inbox (consumer, event_id) select $1, unnest($2::text[])
    on conflict do nothing returning event_id`,
};

const BURY = `insert into dead_letters (consumer, topic, event_id, payload, error)
  values ($1, $2, $3, $4, $5)`;

const sort = (records: BusRecord[]): { letters: Letter[]; dead: DeadLetter[] } => {
  const letters: Letter[] = [];
  const dead: DeadLetter[] = [];
  for (const record of records) {
    const event = openRecord(record);
    if (typeof event !== "string") letters.push({ record, event });
    else dead.push({ record, eventId: claimedId(record), error: event });
  }
  return { letters, dead };
};

const PASSING_KINDS: ReadonlySet<FailureKind> = new Set([
  "unavailable",
  "deadline_exceeded",
  "resource_exhausted",
]);
// A table or column that is not there: the migration is late, which is no fault of the event.
const PASSING_STATES: ReadonlySet<string> = new Set(["42P01", "42703"]);

const isPassing = (error: unknown): boolean =>
  (error instanceof Failure && PASSING_KINDS.has(error.kind)) ||
  PASSING_STATES.has(sqlStateOf(error) ?? "");

/** Fit for a text column: no zero bytes, bounded. */
const textOf = (error: unknown): string =>
  String(error).replaceAll("\0", "").slice(0, ERROR_CHARS_MAX);

const consumed = new Counter({
  name: "events_consumed_total",
  help: "Events handled, dropped as repeats, and given up as dead letters",
  labelNames: ["consumer", "result"],
});
