import type { BusRecord } from "@pay/events";
import type { Pool } from "pg";

/** Puts events aside for a person to look at. */
export const insertDeadLetters = async (
  pool: Pool,
  consumer: string,
  letters: { record: BusRecord; error: string }[],
): Promise<void> => {
  await pool.query({
    name: "insert-dead-letters",
    text: `
      insert into dead_letters (consumer, topic, event_id, payload, error)
      select $1, * from unnest($2::text[], $3::text[], $4::bytea[], $5::text[])`,
    values: [
      consumer,
      letters.map(({ record }) => record.topic),
      letters.map(({ record }) => printable(record.eventId)),
      letters.map(({ record }) => Buffer.from(record.payload)),
      letters.map(({ error }) => printable(error)),
    ],
  });
};

/** Whatever came from outside, as text that the database takes. */
const printable = (text: string): string =>
  text.toWellFormed().replaceAll("\u0000", "\ufffd").slice(0, 500);
