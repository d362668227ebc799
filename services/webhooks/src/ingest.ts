// From the bus into the table and into memory. The events' own table is the inbox: an event that is there already
// makes no second delivery. What is not fit to become a webhook goes to the dead letters, so that a list never comes
// back for its sake; an error of the moment makes the whole list come back.
import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Bus, type BusRecord, TOPICS } from "@pay/events";
import type { Log } from "@pay/process";
import { EventSchema } from "@pay/proto";
import { Failure } from "@pay/rpc";
import type { Pool } from "pg";
import type { Backlog } from "./dispatch/backlog.ts";
import type { Delivery } from "./dispatch/delivery.ts";
import type { Dispatcher } from "./dispatch/dispatcher.ts";
import type { Worker } from "./dispatch/worker.ts";
import { renderBody, UnfitEvent } from "./domain/body.ts";
import * as metrics from "./metrics.ts";
import { insertDeadLetters } from "./storage/dead-letters.ts";
import { type BornDelivery, insertEvents, type NewEvent } from "./storage/deliveries.ts";

export const GROUP = "webhooks";
const BODY_BYTES_MAX = 64 * 1024;

interface Arrival {
  record: BusRecord;
  event: NewEvent;
}

interface Unfit {
  record: BusRecord;
  error: string;
}

export interface IngestDeps {
  pool: Pool;
  log: Log;
  worker: Worker;
  dispatcher: Dispatcher;
  backlog: Backlog;
  now: () => number;
}

export const startIngest = (deps: IngestDeps & { bus: Bus }): Promise<void> =>
  deps.bus.subscribe({
    group: GROUP,
    topics: [TOPICS.payments, TOPICS.settlements, TOPICS.refunds, TOPICS.customers],
    handle: (records) => ingest(deps, records),
  });

export const ingest = async (deps: IngestDeps, records: BusRecord[]): Promise<void> => {
  const arrivals: Arrival[] = [];
  const unfit: Unfit[] = [];
  for (const record of records) {
    try {
      const event = readEvent(record);
      if (event !== undefined) arrivals.push({ record, event });
    } catch (error) {
      unfit.push({ record, error: error instanceof Error ? error.message : String(error) });
    }
  }
  if (arrivals.length > 0) unfit.push(...(await storeAll(deps, arrivals)));
  if (unfit.length === 0) return;
  metrics.eventsUnfit.inc(unfit.length);
  deps.log.error({ events: unfit.length, firstFault: unfit[0]?.error }, "events were put aside");
  await insertDeadLetters(deps.pool, GROUP, unfit);
};

/** The rendered event; undefined for what is not for merchants. */
const readEvent = ({ payload }: BusRecord): NewEvent | undefined => {
  const event = fromBinary(EventSchema, payload);
  const body = renderBody(event);
  if (body === undefined) return undefined;
  if (event.id === "" || event.projectId === "" || event.occurredAt === undefined) {
    throw new UnfitEvent("the event has no id, no project or no time");
  }
  if (body.length > BODY_BYTES_MAX) throw new UnfitEvent("the body is too large");
  return {
    id: event.id,
    projectId: event.projectId,
    mode: event.mode,
    type: event.type,
    resourceId: event.resourceId,
    sequence: event.sequence,
    body,
    occurredAt: timestampDate(event.occurredAt),
  };
};

/** Stores the list; if the fault is in the data of one, each alone, so that it is the only one put aside. */
const storeAll = async (deps: IngestDeps, arrivals: Arrival[]): Promise<Unfit[]> => {
  try {
    await store(deps, arrivals);
    return [];
  } catch (error) {
    if (error instanceof Failure) throw error;
    const [only] = arrivals;
    if (arrivals.length === 1 && only !== undefined) {
      return [{ record: only.record, error: error instanceof Error ? error.message : "" }];
    }
  }
  const unfit: Unfit[] = [];
  for (const arrival of arrivals) unfit.push(...(await storeAll(deps, [arrival])));
  return unfit;
};

const store = async (deps: IngestDeps, arrivals: Arrival[]): Promise<void> => {
  const { pool, worker, dispatcher, backlog, now } = deps;
  const arrivedAt = now();
  const owner = worker.id();
  if (owner === undefined || dispatcher.isClosed()) {
    throw new Failure("unavailable", "This worker takes nothing in");
  }
  const events = arrivals.map(({ event }) => event);
  const born = await insertEvents(pool, events, {
    owner: dispatcher.isFull() ? null : owner,
    full: backlog.endpoints(),
  }).catch((error: unknown) => {
    backlog.doubt();
    throw error;
  });
  const byId = new Map(events.map((event) => [event.id, event]));
  dispatcher.accept(
    born.flatMap((row) => {
      const event = byId.get(row.event_id);
      if (row.owner !== null && event !== undefined)
        return [firstDelivery(row, event, owner, arrivedAt)];
      backlog.note(row.endpoint_id);
      return [];
    }),
  );
};

const firstDelivery = (
  row: BornDelivery,
  event: NewEvent,
  owner: number,
  dueAt: number,
): Delivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  owner,
  attempts: 0,
  eventId: event.id,
  eventType: event.type,
  sequence: event.sequence,
  body: event.body,
  dueAt,
});
