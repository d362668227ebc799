// The outbox: events are written by the very statement that makes them true, as finished bytes. What publishes
// them (relay.ts) reads no business table and knows no type.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { newId } from "@pay/money";
import { EventSchema } from "@pay/proto";
import type { ClientBase, Pool } from "pg";
import { newsOf } from "./topics.ts";

/** What a statement writes into the table outbox; the rest of its columns fill themselves. */
export interface OutboxRow {
  eventId: string;
  type: string;
  topic: string;
  /** The project id. */
  key: string;
  requestId: string;
  payload: Buffer;
}

/** Finishes an event: gives it an id where it has none, finds its topic, encodes it. */
export const outboxRow = (init: MessageInitShape<typeof EventSchema>): OutboxRow => {
  const event = create(EventSchema, init);
  const news = newsOf(event.type);
  if (news === undefined) throw new Error(`no topic for events of type "${event.type}"`);
  if (event.resource.case !== news.resource)
    throw new Error(`an event of type "${event.type}" carries a ${news.resource}`);
  if (event.projectId === "") throw new Error(`an event of type "${event.type}" needs a project`);
  if (event.id === "") event.id = newId("evt");
  const bytes = toBinary(EventSchema, event);
  return {
    eventId: event.id,
    type: event.type,
    topic: news.topic,
    key: event.projectId,
    requestId: event.requestId,
    payload: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
};

/** The columns a statement writes, in the order of outboxArrays. */
export const OUTBOX_COLUMNS = "event_id, type, topic, key, request_id, payload";

/** Their types, for `unnest($1::text[], …)` in the same order. */
export const OUTBOX_TYPES = ["text", "text", "text", "text", "text", "bytea"] as const;

export type OutboxArrays = [string[], string[], string[], string[], string[], Buffer[]];

/** Rows turned into columns, for one `unnest` whatever their number. */
export const outboxArrays = (rows: readonly OutboxRow[]): OutboxArrays => [
  rows.map((row) => row.eventId),
  rows.map((row) => row.type),
  rows.map((row) => row.topic),
  rows.map((row) => row.key),
  rows.map((row) => row.requestId),
  rows.map((row) => row.payload),
];

/** For transactions that are not hot. Hot statements insert into outbox themselves, in the same statement. */
export const appendOutbox = async (
  client: ClientBase | Pool,
  rows: readonly OutboxRow[],
): Promise<void> => {
  if (rows.length > 0) await client.query({ ...APPEND, values: outboxArrays(rows) });
};

const APPEND = {
  name: "outbox-append",
  text: `insert into outbox (${OUTBOX_COLUMNS})
    select * from unnest(${OUTBOX_TYPES.map((type, at) => `$${at + 1}::${type}[]`).join(", ")})`,
};
