// What a consumer has handled: the ids of events, kept for days, and its position in each partition of a topic.
//
// An id stops an event that its relay publishes again, after a crash between acknowledgement and delete. A relay repeats
// itself when it starts, so ids are kept for seven days, and beyond that until seven days with events have followed: an
// installation that stood still for a month still has the ids of its last week. A position stops a record that the bus
// delivers again, however old it is, e.g. after the broker forgot the offsets of a group. It counts only for records
// older than the ids: a topic that was created anew begins at 0, and its records must not pass for handled ones.
//
// Two members may get the same record around a rebalance. The lock on the position lets one after the other in, so the
// second one sees the ids of the first, in whatever partition of inbox_ids they are.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { BusRecord } from "../bus/bus.ts";

export interface Delivery {
  record: BusRecord;
  event: Event;
}

const LOCK_POSITIONS = {
  name: "inbox-lock-positions",
  text: `insert into inbox_positions (consumer, topic, partition, record_offset)
    select distinct $1, topic, partition, -1 from unnest($2::text[], $3::int[]) as came (topic, partition)
    order by topic, partition
    on conflict (consumer, topic, partition) do update set record_offset = inbox_positions.record_offset`,
};

// An event cannot have been handled before it occurred, so older partitions are not searched; two days are more than
// clocks differ.
const INSERT_NEW = {
  name: "inbox-insert-new",
  text: `
    with came as materialized (
      select * from unnest($2::text[], $3::timestamptz[], $4::text[], $5::int[], $6::bigint[], $7::timestamptz[])
        as came (event_id, occurred_at, topic, partition, record_offset, published_at)
    ), fresh as (
      insert into inbox_ids (consumer, event_id)
      select $1, event_id from came
      where not exists (select from inbox_ids known
          where known.consumer = $1 and known.event_id = came.event_id and known.day <= now()
            and known.day >= coalesce(least(came.occurred_at, now()) - interval '2 days', '-infinity'))
        and not exists (select from inbox_positions passed
          where passed.consumer = $1 and passed.topic = came.topic and passed.partition = came.partition
            and passed.record_offset >= came.record_offset
            and came.published_at < now() - interval '6 days')
      on conflict do nothing
      returning event_id
    ), moved as (
      update inbox_positions passed set record_offset = last.record_offset
      from (
        select topic, partition, max(record_offset) as record_offset
        from came join fresh using (event_id) group by topic, partition
      ) last
      where passed.consumer = $1 and passed.topic = last.topic and passed.partition = last.partition
    )
    select event_id from fresh`,
};

/** Stores the ids of the events that are new to the consumer; returns those events, in order. */
export async function insertNew(
  tx: PoolClient,
  consumer: string,
  deliveries: readonly Delivery[],
): Promise<Event[]> {
  if (deliveries.length === 0) return [];
  const unique = [...new Map(deliveries.map((one) => [one.event.id, one])).values()];
  const places = unique.map(({ record }) => record.place);
  const topics = unique.map(({ record }) => record.topic);
  const partitions = places.map((place) => place?.partition ?? null);
  if (places.some((place) => place !== undefined)) {
    const placed = unique.flatMap(({ record: { topic, place } }) =>
      place ? [{ topic, place }] : [],
    );
    const values = [placed.map(({ topic }) => topic), placed.map(({ place }) => place.partition)];
    await tx.query({ ...LOCK_POSITIONS, values: [consumer, ...values] });
  }
  const { rows } = await tx.query<{ event_id: string }>({
    ...INSERT_NEW,
    values: [
      consumer,
      unique.map(({ event }) => event.id),
      unique.map(({ event }) => toDate(event.occurredAt)),
      topics,
      partitions,
      places.map((place) => place?.offset ?? null),
      places.map((place) => place?.publishedAt ?? null),
    ],
  });
  const events = unique.map(({ event }) => event);
  if (rows.length === events.length) return events;
  const fresh = new Set(rows.map((row) => row.event_id));
  return events.filter(({ id }) => fresh.has(id));
}

function toDate(time: Timestamp | undefined): Date | null {
  return time === undefined ? null : timestampDate(time);
}
