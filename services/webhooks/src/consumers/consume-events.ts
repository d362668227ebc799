// Stores events of the bus with their deliveries and loads them into memory. The table of events is the inbox: a stored
// event creates no second delivery. An event that cannot become a webhook becomes a dead letter; on a transient error
// the bus delivers the batch again.
import { runAllElseOneByOne } from "@pay/batching";
import { type Database, isFaultOfData, type Queryable } from "@pay/database";
import {
  type Bus,
  type BusRecord,
  continueTrace,
  listTopics,
  outboxRow,
  PUBLIC_TYPES,
  RETENTION_DAYS,
  startReplays,
} from "@pay/events";
import { Failure } from "@pay/failures";
import { type Log, type Runtime, traceAll } from "@pay/process";
import type { Event } from "@pay/proto";
import type { Pool } from "pg";
import type { Backlog } from "../delivery/backlog.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { Worker } from "../delivery/workers.ts";
import { buildBody } from "../domain/included-fields.ts";
import type { InsertEventsRow } from "../generated/sql.ts";
import * as statements from "../generated/sql.ts";
import * as metrics from "../metrics.ts";
import { eraseBodies, insertEvents, type NewEvent } from "../storage/events.ts";
import { ERASURE, readEvent } from "./read-event.ts";

const GROUP = "webhooks";
const DAY_MS = 86_400_000;
/** A statement holds its bodies several times while it is sent, so large events are stored in parts. */
const STATEMENT_BYTES_MAX = 1024 * 1024;

interface Arrival {
  record: BusRecord;
  event: NewEvent;
}

interface InvalidRecord {
  record: BusRecord;
  error: string;
}

export interface EventConsumerDeps {
  pool: Pool;
  log: Log;
  worker: Worker;
  dispatcher: Dispatcher;
  backlog: Backlog;
  now: () => number;
}

export function startEventConsumer(
  deps: EventConsumerDeps & { bus: Bus; db: Database; runtime: Runtime },
): Promise<void> {
  const { db, runtime } = deps;
  startReplays({
    db,
    runtime,
    consumer: GROUP,
    handle: (events) => consumeEvents(deps, events.map(toRecord)),
  });
  return deps.bus.subscribe({
    group: GROUP,
    topics: listTopics(PUBLIC_TYPES),
    handle: (records) => consumeEvents(deps, dropOutdated(deps, records)),
  });
}

/**
 * A bus that lost the offsets of the group delivers its oldest records again. Records older than the stored events
 * would pass for new ones, and merchants would receive them twice.
 */
function dropOutdated(
  { log, runtime }: { log: Log; runtime: Runtime },
  records: BusRecord[],
): BusRecord[] {
  const since = runtime.clock.now().getTime() - RETENTION_DAYS * DAY_MS;
  const fresh = records.filter(({ place }) => (place?.publishedAt.getTime() ?? since) >= since);
  const outdated = records.length - fresh.length;
  if (outdated > 0) log.warn({ outdated }, "skipped records that are older than any stored event");
  return fresh;
}

/** Restores the record of a replayed event. */
function toRecord(event: Event): BusRecord {
  return outboxRow(event as Parameters<typeof outboxRow>[0]);
}

async function consumeEvents(deps: EventConsumerDeps, records: BusRecord[]): Promise<void> {
  const arrivals: Arrival[] = [];
  const erasures: Arrival[] = [];
  const invalid: InvalidRecord[] = [];
  for (const record of records) {
    try {
      const event = readEvent(record.payload);
      if (event !== undefined) continueTrace(record, event);
      if (event?.type === ERASURE) erasures.push({ record, event });
      else if (event !== undefined) arrivals.push({ record, event });
    } catch (error) {
      invalid.push({ record, error: error instanceof Error ? error.message : String(error) });
    }
  }
  for (const part of splitParts(arrivals)) {
    invalid.push(...(await writeAll(part, (list) => store(deps, list))));
  }
  // After the events of the list, which may be the customer's own.
  invalid.push(
    ...(await writeAll(erasures, (list) =>
      eraseBodies(
        deps.pool,
        list.map(({ event }) => event),
      ),
    )),
  );
  if (invalid.length === 0) return;
  metrics.invalidEvents.inc(invalid.length);
  deps.log.error(
    { events: invalid.length, firstFault: invalid[0]?.error },
    "events became dead letters",
  );
  await insertDeadLetters(deps.pool, GROUP, invalid);
}

/** Splits a list where the bodies of a part would be too large; the order stays. */
function splitParts(arrivals: Arrival[]): Arrival[][] {
  const parts: Arrival[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const arrival of arrivals) {
    const length = countBytes(arrival.event);
    if (bytes + length > STATEMENT_BYTES_MAX) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(arrival);
    bytes += length;
  }
  return parts;
}

function countBytes({ body, included }: NewEvent): number {
  return body.length + (included?.length ?? 0);
}

/**
 * Writes a list. If the data of an event is rejected, each event is written alone and only this one becomes a dead
 * letter. Other errors are thrown: a missing right, column or partition is not the fault of an event.
 */
async function writeAll(
  arrivals: Arrival[],
  write: (arrivals: Arrival[]) => Promise<void>,
): Promise<InvalidRecord[]> {
  const { faults } = await runAllElseOneByOne(arrivals, {
    run: (list) => write([...list]),
    isFaultOfItem: isFaultOfData,
  });
  return [...faults].map(([{ record }, error]) => ({
    record,
    error: error instanceof Error ? error.message : "",
  }));
}

function store(deps: EventConsumerDeps, arrivals: Arrival[]): Promise<void> {
  const events = arrivals.map(({ event }) => event);
  const requestIds = events.map(({ requestId }) => requestId);
  return traceAll({ name: `handle ${GROUP}`, kind: "consumer" }, requestIds, (own) => {
    events.forEach((event, at) => {
      event.requestId = own[at] ?? "";
    });
    return storeEvents(deps, events);
  });
}

async function storeEvents(deps: EventConsumerDeps, events: NewEvent[]): Promise<void> {
  const { pool, worker, dispatcher, backlog, now } = deps;
  const arrivedAt = now();
  const owner = worker.id();
  if (owner === undefined || dispatcher.isClosed()) {
    throw new Failure("service_unavailable", "This worker accepts no events");
  }
  const bodyBytes = events.reduce((sum, event) => sum + countBytes(event), 0);
  const isReserved = dispatcher.reserve(bodyBytes);
  let created: InsertEventsRow[];
  try {
    created = await insertEvents(pool, events, {
      owner: isReserved ? owner : null,
      full: backlog.endpoints(),
    });
  } catch (error) {
    backlog.scheduleAudit();
    throw error;
  } finally {
    // Nobody else runs between this and the acceptance, so nobody is given the same memory.
    if (isReserved) dispatcher.release(bodyBytes);
  }
  const byId = new Map(events.map((event) => [event.id, event]));
  const places = new Map(events.map(({ id }, place) => [id, place]));
  created.sort((a, b) => (places.get(a.event_id) ?? 0) - (places.get(b.event_id) ?? 0));
  const share = createTextPool();
  dispatcher.accept(
    created.flatMap((row) => {
      const event = byId.get(row.event_id);
      if (row.owner !== null && event !== undefined)
        return [toFirstDelivery(row, event, { owner, arrivedAt, share })];
      backlog.add(row.endpoint_id);
      return [];
    }),
  );
}

/** Shares equal texts between deliveries: the garbage collector copies waiting ones. */
function createTextPool(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text) ?? text;
    known.set(first, first);
    return first;
  };
}

function toFirstDelivery(
  row: InsertEventsRow,
  event: NewEvent,
  {
    owner,
    arrivedAt,
    share,
  }: Pick<Delivery, "owner"> & {
    arrivedAt: number;
    share: (text: string) => string;
  },
): Delivery {
  return {
    id: row.id,
    day: row.day,
    endpointId: share(row.endpoint_id),
    endpointVersion: share(row.endpoint_version),
    loadedAt: arrivedAt,
    owner,
    attempts: 0,
    eventId: event.id,
    mode: event.mode,
    projectId: share(event.projectId),
    requestId: event.requestId,
    eventType: share(event.type),
    resourceId: event.resourceId,
    sequence: event.sequence,
    occurredAt: event.occurredAt,
    isRedelivery: false,
    body: buildBody(event.body, event.included, row.include),
    dueAt: arrivedAt,
  };
}

async function insertDeadLetters(
  db: Queryable,
  consumer: string,
  dead: readonly { record: BusRecord; error: string }[],
): Promise<void> {
  const letters = dead.map(({ record, error }) => ({
    topic: record.topic,
    event_id: toPrintable(record.eventId),
    payload: record.payload,
    error: toPrintable(error),
  }));
  await statements.insertDeadLetters(db, { letters, consumer });
}

/** Removes what a text column rejects. */
function toPrintable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd").slice(0, 500);
}
