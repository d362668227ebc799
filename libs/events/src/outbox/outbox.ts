// The outbox: events are written by the statement that makes the change, as finished bytes. The relay (relay.ts)
// publishes them, reads no business table and knows no type.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import type { Queryable } from "@pay/database";
import { splitTrace } from "@pay/process";
import { EventSchema } from "@pay/proto";
import { newId } from "@pay/values";
import { type EventType, getKind } from "../event-types.ts";
import { type AppendEventsEvents, appendEvents } from "../generated/sql.ts";
import { chooseKey } from "./record-key.ts";

/** The columns of the table outbox that a statement writes; the others have defaults. */
export interface OutboxRow {
  eventId: string;
  type: string;
  topic: string;
  key: string;
  /** With its trace, which the event itself does not have. */
  requestId: string;
  payload: Buffer;
}

/** The parts of an event; only types that have a row in the table are written. */
export type NewEvent = MessageInitShape<typeof EventSchema> & { type: EventType };

/** Finishes an event: gives it an id where it has none, finds its topic, encodes it. */
export function outboxRow(init: NewEvent): OutboxRow {
  const event = create(EventSchema, init);
  const kind = getKind(event.type);
  if (kind === undefined) throw new Error(`no topic for events of type "${event.type}"`);
  if (event.resource.case !== kind.resource)
    throw new Error(`an event of type "${event.type}" carries a ${kind.resource}`);
  if (event.projectId === "") throw new Error(`an event of type "${event.type}" needs a project`);
  if (event.id === "") event.id = newId("evt");
  const traced = event.requestId;
  event.requestId = splitTrace(traced).requestId;
  const bytes = toBinary(EventSchema, event);
  return {
    eventId: event.id,
    type: event.type,
    topic: kind.topic,
    key: chooseKey(event),
    requestId: traced,
    payload: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}

/** The columns of an event in the list of a statement, which writes it with the change. */
export function eventRow(row: OutboxRow): AppendEventsEvents {
  return {
    event_id: row.eventId,
    event_type: row.type,
    topic: row.topic,
    event_key: row.key,
    request_id: row.requestId,
    payload: row.payload,
  };
}

/** For transactions that are not hot. Hot statements insert into outbox themselves, in the same statement. */
export async function appendOutbox(db: Queryable, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length > 0) await appendEvents(db, { events: rows.map(eventRow) });
}
