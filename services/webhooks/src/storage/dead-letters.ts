import type { Queryable } from "@pay/database";
import type { BusRecord } from "@pay/events";
import * as statements from "../generated/sql.ts";

export async function insertDeadLetters(
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
