// Reads the fields that a delivery needs and renders the body. Decoding the whole message would create objects for many
// unused fields.
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type EventType, isPublic } from "@pay/events";
import { EventSchema } from "@pay/proto";
import type { NewEvent } from "../storage/events.ts";
import { BODY_READERS, type BodyReader } from "./body.ts";
import { InvalidEventError, readTimestamp, skipValue } from "./wire-values.ts";

export const BODY_BYTES_MAX = 64 * 1024;

type Fields = Omit<NewEvent, "body" | "included" | "occurredAt"> & {
  occurredAt: Date | undefined;
  /** Name of the resource's field. */
  kind: string;
  body: BodyReader | undefined;
};

/** No merchant receives it: its body replaces those of the customer's earlier events. */
export const ERASURE = "customer.erased" satisfies EventType;

/** Undefined for types of which nothing is stored. Throws if the event is invalid or cannot be sent. */
export function readEvent(payload: Uint8Array): NewEvent | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const reader = new BinaryReader(bytes);
  const fields = readFields(reader, bytes);
  const { id, type, projectId, mode, resourceId, sequence, occurredAt, requestId, kind } = fields;
  if (!isPublic(type) && type !== ERASURE) return undefined;
  if (!type.startsWith(`${kind}.`)) throw new InvalidEventError(`a ${type} event carries ${kind}`);
  if (fields.body === undefined) throw new InvalidEventError(`no body for ${kind}`);
  const body = fields.body.render(reader, bytes);
  const included = fields.body.renderIncluded?.(reader, bytes);
  if (id === "" || projectId === "" || occurredAt === undefined) {
    throw new InvalidEventError("the event has no id, project or time");
  }
  if (Number.isNaN(occurredAt.getTime()))
    throw new InvalidEventError("the event's time is out of range");
  if (body.length + (included?.length ?? 0) > BODY_BYTES_MAX)
    throw new InvalidEventError("the body is too large");
  return { id, projectId, mode, type, resourceId, sequence, body, included, occurredAt, requestId };
}

type Read = (fields: Fields, reader: BinaryReader, bytes: Buffer) => void;

/** By field number: the type on the wire and its reader. */
const READERS: (readonly [WireType, Read] | undefined)[] = [];

const TEXTS = ["id", "type", "projectId", "resourceId", "requestId"] as const;
for (const name of TEXTS) {
  READERS[EventSchema.field[name].number] = [
    WireType.LengthDelimited,
    (fields, reader, bytes) => {
      fields[name] = readText(reader, bytes);
    },
  ];
}
for (const name of ["mode", "sequence"] as const) {
  READERS[EventSchema.field[name].number] = [
    WireType.Varint,
    (fields, reader) => {
      fields[name] = reader.int32();
    },
  ];
}
READERS[EventSchema.field.occurredAt.number] = [
  WireType.LengthDelimited,
  (fields, reader) => {
    fields.occurredAt = readTimestamp(reader, Math.round);
  },
];
for (const { number, name } of EventSchema.oneofs[0]?.fields ?? []) {
  READERS[number] = [
    WireType.LengthDelimited,
    (fields, reader) => {
      const length = reader.uint32();
      const end = reader.pos + length;
      const body = BODY_READERS[name];
      if (fields.kind !== name) body?.clear();
      fields.kind = name;
      fields.body = body;
      body?.locate(reader, end);
      reader.pos = end;
    },
  ];
}

function readFields(reader: BinaryReader, bytes: Buffer): Fields {
  const fields: Fields = {
    id: "",
    type: "",
    projectId: "",
    resourceId: "",
    requestId: "",
    mode: 0,
    sequence: 0,
    occurredAt: undefined,
    kind: "nothing",
    body: undefined,
  };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const known = READERS[tag >>> 3];
    if (known === undefined) skipValue(reader, tag);
    else {
      const [wireType, read] = known;
      if (wireType !== (tag & 7)) throw new InvalidEventError("a field has another type");
      read(fields, reader, bytes);
    }
  }
  if (reader.pos > reader.len) throw new InvalidEventError("the event ends inside a value");
  return fields;
}

const REPLACEMENT = "\ufffd";

function readText(reader: BinaryReader, bytes: Buffer): string {
  const length = reader.uint32();
  const start = reader.pos;
  reader.pos += length;
  if (reader.pos > reader.len) throw new RangeError("the event ends inside a value");
  const text = bytes.toString("utf8", start, reader.pos);
  if (text.includes(REPLACEMENT)) throw new InvalidEventError("a text is not UTF-8");
  return text;
}
