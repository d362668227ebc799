// The events that a consumer has handled: their ids, kept for days, and its position in each partition of a topic.
//
// An id stops an event that its relay publishes again, after a crash between acknowledgement and delete. A relay
// repeats itself when it starts, so ids are kept for seven days, and beyond that until seven days with events have
// followed: an installation that stood still for a month still has the ids of its last week. A position stops a record
// that the bus delivers again, however old it is, e.g. after the broker forgot the offsets of a group. It counts only
// for records older than the ids: a topic that was created anew begins at 0, and its records must not pass for handled
// ones.
//
// Two members may get the same record around a rebalance. The lock on the position lets one after the other in, so the
// second one sees the ids of the first, in whatever partition of inbox_ids they are.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { BusRecord } from "../bus/bus.ts";
import {
  type InsertNewEventsDeliveries,
  insertNewEvents,
  lockPositions,
} from "../generated/sql.ts";

export interface Delivery {
  record: BusRecord;
  event: Event;
}

/** Stores the ids of the events that are new to the consumer; returns those events, in order. */
export async function insertNew(
  tx: PoolClient,
  consumer: string,
  deliveries: readonly Delivery[],
): Promise<Event[]> {
  if (deliveries.length === 0) return [];
  const unique = [...new Map(deliveries.map((one) => [one.event.id, one])).values()];
  const places = unique.flatMap(({ record: { topic, place } }) =>
    place === undefined ? [] : [{ topic, partition: place.partition }],
  );
  if (places.length > 0) await lockPositions(tx, { consumer, places });
  const rows = await insertNewEvents(tx, { consumer, deliveries: unique.map(toRow) });
  const events = unique.map(({ event }) => event);
  if (rows.length === events.length) return events;
  const fresh = new Set(rows.map((row) => row.event_id));
  return events.filter(({ id }) => fresh.has(id));
}

function toRow({ event, record: { topic, place } }: Delivery): InsertNewEventsDeliveries {
  return {
    event_id: event.id,
    occurred_at: toDate(event.occurredAt),
    topic,
    partition: place?.partition ?? null,
    record_offset: place === undefined ? null : BigInt(place.offset),
    published_at: place?.publishedAt ?? null,
  };
}

function toDate(time: Timestamp | undefined): Date | null {
  return time === undefined ? null : timestampDate(time);
}
