// From the bus into the table and into memory. The table of events is the inbox: an event that is stored already
// makes no second delivery. An event that cannot become a webhook goes to the dead letters, so that its list is not
// delivered again because of it; a transient error makes the bus deliver the whole list again.
import { runAllElseOneByOne } from "@pay/batching";
import { type Database, isFaultOfData } from "@pay/database";
import {
  type Bus,
  type BusRecord,
  listTopics,
  outboxRow,
  PUBLIC_TYPES,
  RETENTION_DAYS,
  startReplays,
} from "@pay/events";
import { Failure } from "@pay/failures";
import type { Log, Runtime } from "@pay/process";
import type { Event } from "@pay/proto";
import type { Pool } from "pg";
import type { Backlog } from "../delivery/backlog.ts";
import type { Delivery } from "../delivery/delivery.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { Worker } from "../delivery/workers.ts";
import * as metrics from "../metrics.ts";
import { insertDeadLetters } from "../storage/dead-letters.ts";
import { type BornDelivery, insertEvents, type NewEvent } from "../storage/events.ts";
import { readEvent } from "./read-event.ts";

const GROUP = "webhooks";
const DAY_MS = 86_400_000;
/** A statement holds its bodies several times while it is sent, so lists of large events are stored in parts. */
const STATEMENT_BYTES_MAX = 1024 * 1024;

interface Arrival {
  record: BusRecord;
  event: NewEvent;
}

interface Unfit {
  record: BusRecord;
  error: string;
}

export interface TakeEventsDeps {
  pool: Pool;
  log: Log;
  worker: Worker;
  dispatcher: Dispatcher;
  backlog: Backlog;
  now: () => number;
}

export function startTakingEvents(
  deps: TakeEventsDeps & { bus: Bus; db: Database; runtime: Runtime },
): Promise<void> {
  const { db, runtime } = deps;
  startReplays({
    db,
    runtime,
    consumer: GROUP,
    handle: (events) => takeEvents(deps, events.map(toRecord)),
  });
  return deps.bus.subscribe({
    group: GROUP,
    topics: listTopics(PUBLIC_TYPES),
    handle: (records) => takeEvents(deps, withoutOutdated(deps, records)),
  });
}

/**
 * The bus delivers its oldest records again after it has forgotten the place of the group, e.g. because all stood still for
 * weeks. What was published before the oldest events that are stored would pass for new, and merchants would get it a
 * second time.
 */
function withoutOutdated(
  { log, runtime }: { log: Log; runtime: Runtime },
  records: BusRecord[],
): BusRecord[] {
  const since = runtime.clock.now().getTime() - RETENTION_DAYS * DAY_MS;
  const fresh = records.filter(({ place }) => (place?.publishedAt.getTime() ?? since) >= since);
  const outdated = records.length - fresh.length;
  if (outdated > 0)
    log.warn({ outdated }, "records that are older than any stored event were left out");
  return fresh;
}

/** The event as the bus delivered it. */
function toRecord(event: Event): BusRecord {
  return outboxRow(event as Parameters<typeof outboxRow>[0]);
}

async function takeEvents(deps: TakeEventsDeps, records: BusRecord[]): Promise<void> {
  const arrivals: Arrival[] = [];
  const unfit: Unfit[] = [];
  for (const record of records) {
    try {
      const event = readEvent(record.payload);
      if (event !== undefined) arrivals.push({ record, event });
    } catch (error) {
      unfit.push({ record, error: error instanceof Error ? error.message : String(error) });
    }
  }
  for (const part of splitParts(arrivals)) unfit.push(...(await storeAll(deps, part)));
  if (unfit.length === 0) return;
  metrics.eventsUnfit.inc(unfit.length);
  deps.log.error(
    { events: unfit.length, firstFault: unfit[0]?.error },
    "events became dead letters",
  );
  await insertDeadLetters(deps.pool, GROUP, unfit);
}

/** The list in its order, cut where the bodies of a part would be too large. */
function splitParts(arrivals: Arrival[]): Arrival[][] {
  const parts: Arrival[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const arrival of arrivals) {
    const { length } = arrival.event.body;
    if (bytes + length > STATEMENT_BYTES_MAX) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(arrival);
    bytes += length;
  }
  return parts;
}

/**
 * Stores the list. Where the data of one event is refused, each event is stored alone, so that only this one becomes a
 * dead letter. Every other error is thrown: a missing right, column or partition says nothing about an event, and the
 * bus delivers the list again until the operator has mended it.
 */
async function storeAll(deps: TakeEventsDeps, arrivals: Arrival[]): Promise<Unfit[]> {
  const { faults } = await runAllElseOneByOne(arrivals, {
    run: (list) => store(deps, [...list]),
    isFaultOfItem: isFaultOfData,
  });
  return [...faults].map(([{ record }, error]) => ({
    record,
    error: error instanceof Error ? error.message : "",
  }));
}

async function store(deps: TakeEventsDeps, arrivals: Arrival[]): Promise<void> {
  const { pool, worker, dispatcher, backlog, now } = deps;
  const arrivedAt = now();
  const owner = worker.id();
  if (owner === undefined || dispatcher.isClosed()) {
    throw new Failure("service_unavailable", "This worker takes nothing in");
  }
  const events = arrivals.map(({ event }) => event);
  const bodyBytes = events.reduce((sum, { body }) => sum + body.length, 0);
  const born = await insertEvents(pool, events, {
    owner: dispatcher.isFull(bodyBytes) ? null : owner,
    full: backlog.endpoints(),
  }).catch((error: unknown) => {
    backlog.doubt();
    throw error;
  });
  const byId = new Map(events.map((event) => [event.id, event]));
  const places = new Map(events.map(({ id }, place) => [id, place]));
  born.sort((a, b) => (places.get(a.event_id) ?? 0) - (places.get(b.event_id) ?? 0));
  const shared = createShared();
  dispatcher.accept(
    born.flatMap((row) => {
      const event = byId.get(row.event_id);
      if (row.owner !== null && event !== undefined)
        return [firstDelivery(row, event, { owner, arrivedAt, shared })];
      backlog.note(row.endpoint_id);
      return [];
    }),
  );
}

/** Of equal texts the first one, so that deliveries which wait do not hold each its own: the collector copies what waits. */
function createShared(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const first = known.get(text) ?? text;
    known.set(first, first);
    return first;
  };
}

function firstDelivery(
  row: BornDelivery,
  event: NewEvent,
  {
    owner,
    arrivedAt,
    shared,
  }: Pick<Delivery, "owner"> & {
    arrivedAt: number;
    shared: (text: string) => string;
  },
): Delivery {
  return {
    id: row.id,
    day: shared(row.day),
    endpointId: shared(row.endpoint_id),
    endpointVersion: shared(row.endpoint_version),
    takenInAt: arrivedAt,
    owner,
    attempts: 0,
    eventId: event.id,
    mode: event.mode,
    eventType: shared(event.type),
    resourceId: event.resourceId,
    sequence: event.sequence,
    body: event.body,
    dueAt: arrivedAt,
  };
}
