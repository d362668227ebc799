// From the bus into a service, effectively once. Records of types that the consumer does not subscribe to are dropped
// before anything is stored. Each list of the others is ONE transaction: their ids go into the inbox (inbox.ts), the
// new events go to the handler, in order, and its effects commit together with the ids. A repeated event is dropped.
//
// Failure modes:
// - the process is killed: before the commit nothing has happened, and the bus brings the records again; after it they
//   are repeats.
// - the database or another service is away: the same list is tried again, with pauses, for as long as it takes. A
//   fault of the infrastructure never makes an event a dead letter.
// - the handler fails on an event: its list is rolled back and handled one event at a time; the event that keeps
//   failing goes into dead_letters, its id into the inbox, and the consumer moves on.
// - the bytes are no event: they go into dead_letters at once.
import { type Database, transaction } from "@pay/database";
import { type Runtime, traceAll } from "@pay/process";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { Counter } from "prom-client";
import type { Bus, BusRecord } from "../bus/bus.ts";
import { startReplays } from "../dead-letters/replay.ts";
import { watchDeadLetters } from "../dead-letters/watch.ts";
import { type EventType, getKind, listTopics } from "../event-types.ts";
import { type RecordDeadLettersDeadLetters, recordDeadLetters } from "../generated/sql.ts";
import { pause } from "../pause.ts";
import { continueTrace } from "./continue-trace.ts";
import { claimedId, openPayload } from "./envelope.ts";
import { isTransient, toText } from "./faults.ts";
import { type Delivery, insertNew } from "./inbox.ts";

const TRIES_MAX = 5;
const PAUSE_MS = 50;
const PAUSE_MAX_MS = 2_000;

export interface ConsumeOptions {
  bus: Bus;
  db: Database;
  runtime: Runtime;
  /** The name of the consumer: its group on the bus and the owner of its ids in the inbox. It never changes. */
  consumer: string;
  /** The events that the handler uses; it gets no others. */
  types: readonly EventType[];
  /**
   * Writes the effects of new events, in order, on the transaction that also stores their ids. An error rolls both
   * back.
   */
  handle(events: Event[], tx: PoolClient): Promise<void>;
  /** Called when effects are committed, e.g. to wake the relay that publishes the events they wrote. */
  afterCommit?(): void;
}

export async function consume(options: ConsumeOptions): Promise<void> {
  const { bus, db, runtime, consumer, types } = options;
  const stop = new AbortController();
  const handle = createHandler(options, stop.signal);
  let underWay: Promise<void> = Promise.resolve();
  watchDeadLetters({ db, runtime });
  startReplays(options);
  await bus.subscribe({
    group: consumer,
    topics: listTopics(types),
    handle: (records) => {
      const handled = handle(records);
      underWay = handled.catch(() => {});
      return handled;
    },
  });
  // Registered last, so it stops first: a bus that stops waits for its handler, which must end then.
  runtime.onStop(`events for ${consumer}`, () => {
    stop.abort();
    return underWay;
  });
}

function createHandler(
  { db, runtime: { log }, consumer, types, handle, afterCommit }: ConsumeOptions,
  stopping: AbortSignal,
) {
  const wanted: ReadonlySet<string> = new Set(types);

  async function handleRecords(records: BusRecord[]): Promise<void> {
    const { deliveries, dead } = decode(records, wanted);
    const requestIds = deliveries.map(({ event }) => event.requestId);
    const plan = { name: `handle ${consumer}`, kind: "consumer" } as const;
    return traceAll(plan, requestIds, (own) => {
      deliveries.forEach(({ event }, at) => {
        event.requestId = own[at] ?? "";
      });
      return handleDecoded(deliveries, dead);
    });
  }

  async function handleDecoded(
    deliveries: Delivery[],
    dead: RecordDeadLettersDeadLetters[],
  ): Promise<void> {
    try {
      await retryWhileTransient(() => handleAll(deliveries, dead));
    } catch (error) {
      if (stopping.aborted) throw error;
      log.warn(
        { err: error, consumer, events: deliveries.length },
        "a list of events failed and is handled one by one",
      );
      await retryWhileTransient(() => handleAll([], dead));
      for (const delivery of deliveries) await handleAlone(delivery);
    }
  }

  async function handleAll(
    deliveries: Delivery[],
    dead: RecordDeadLettersDeadLetters[],
  ): Promise<void> {
    if (deliveries.length + dead.length === 0) return;
    const handled = await transaction(db.pool, async (tx) => {
      if (dead.length > 0) await recordDeadLetters(tx, { consumer, deadLetters: dead });
      const events = await insertNew(tx, consumer, deliveries);
      if (events.length > 0) await handle(events, tx);
      return events.length;
    });
    if (handled > 0) afterCommit?.();
    consumed.inc({ consumer, result: "handled" }, handled);
    consumed.inc({ consumer, result: "repeated" }, deliveries.length - handled);
    if (dead.length > 0) consumed.inc({ consumer, result: "dead" }, dead.length);
  }

  async function handleAlone(delivery: Delivery): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await retryWhileTransient(() => handleAll([delivery], []));
      } catch (error) {
        if (stopping.aborted) throw error;
        if (tries === TRIES_MAX) return await giveUp(delivery, error);
        await pause(PAUSE_MS * 2 ** tries, stopping);
      }
    }
  }

  async function giveUp({ record, event }: Delivery, error: unknown): Promise<void> {
    log.error({ err: error, consumer, eventId: event.id }, "an event became a dead letter");
    const { topic, payload } = record;
    const dead = { topic, payload, event_id: event.id, error: toText(error) };
    await retryWhileTransient(() =>
      transaction(db.pool, async (tx) => {
        const [fresh] = await insertNew(tx, consumer, [{ record, event }]);
        if (fresh !== undefined) {
          await recordDeadLetters(tx, { consumer, deadLetters: [dead] });
        }
      }),
    );
    consumed.inc({ consumer, result: "dead" });
  }

  /** Tries again while the fault is not the event's; a stop ends it. */
  async function retryWhileTransient<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      if (stopping.aborted) throw new Error("stopping");
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error)) throw error;
        log.warn({ err: error, consumer, failures }, "events are tried again");
        await pause(Math.min(PAUSE_MS * 2 ** failures, PAUSE_MAX_MS), stopping);
      }
    }
  }

  return handleRecords;
}

function decode(
  records: BusRecord[],
  wanted: ReadonlySet<string>,
): { deliveries: Delivery[]; dead: RecordDeadLettersDeadLetters[] } {
  const deliveries: Delivery[] = [];
  const dead: RecordDeadLettersDeadLetters[] = [];
  for (const record of records) {
    if (isOfOtherType(record, wanted)) continue;
    const event = openPayload(record.payload);
    if (typeof event === "string") dead.push(toDeadLetter(record, event));
    else if (wanted.has(event.type))
      deliveries.push({ record, event: continueTrace(record, event) });
  }
  return { deliveries, dead };
}

function toDeadLetter(record: BusRecord, error: string): RecordDeadLettersDeadLetters {
  const { topic, payload } = record;
  return { topic, payload, event_id: claimedId(record), error };
}

/** Whether the header names a known type that the consumer does not subscribe to. Such a record is not decoded. */
function isOfOtherType({ type }: BusRecord, wanted: ReadonlySet<string>): boolean {
  return getKind(type) !== undefined && !wanted.has(type);
}

const consumed = new Counter({
  name: "events_consumed_total",
  help: "Events handled, dropped as repeats, and given up as dead letters",
  labelNames: ["consumer", "result"],
});
