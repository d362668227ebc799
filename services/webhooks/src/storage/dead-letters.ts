import type { BusRecord } from "@pay/events";
import type { Pool } from "pg";

/** Stores events that cannot be handled. An operator decides about them. */
export async function insertDeadLetters(
  pool: Pool,
  consumer: string,
  dead: { record: BusRecord; error: string }[],
): Promise<void> {
  await pool.query({
    name: "insert-dead-letters",
    text: `
      insert into dead_letters (consumer, topic, event_id, payload, error)
      select $1, * from unnest($2::text[], $3::text[], $4::bytea[], $5::text[])`,
    values: [
      consumer,
      dead.map(({ record }) => record.topic),
      dead.map(({ record }) => printable(record.eventId)),
      dead.map(({ record }) => Buffer.from(record.payload)),
      dead.map(({ error }) => printable(error)),
    ],
  });
}

/** Text from outside without what a text column refuses. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\ufffd").slice(0, 500);
}
