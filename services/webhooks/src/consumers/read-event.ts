// An event as merchants get it, read from its bytes: what a delivery needs of it, and the body. Decoding the whole message
// would make text and objects of many fields that are not used here.
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { isPublic } from "@pay/events";
import { EventSchema } from "@pay/proto";
import type { NewEvent } from "../storage/events.ts";
import { BODY_READERS, type BodyReader } from "./body.ts";
import { UnfitEvent } from "./unfit-event.ts";
import { skip, toDate } from "./wire-values.ts";

const BODY_BYTES_MAX = 64 * 1024;

type Fields = Omit<NewEvent, "body" | "occurredAt"> & {
  occurredAt: Date | undefined;
  /** Name of the resource's field, and who reads it. */
  kind: string;
  body: BodyReader | undefined;
};

/** The rendered event; undefined for types that merchants do not receive. Throws where it is none, or cannot be sent. */
export function readEvent(payload: Uint8Array): NewEvent | undefined {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  const reader = new BinaryReader(bytes);
  const fields = readFields(reader, bytes);
  const { id, type, projectId, mode, resourceId, sequence, occurredAt, kind } = fields;
  if (!isPublic(type)) return undefined;
  if (!type.startsWith(`${kind}.`)) throw new UnfitEvent(`a ${type} event carries ${kind}`);
  if (fields.body === undefined) throw new UnfitEvent(`no body for ${kind}`);
  const body = fields.body.render(reader, bytes);
  if (id === "" || projectId === "" || occurredAt === undefined) {
    throw new UnfitEvent("the event has no id, no project or no time");
  }
  if (Number.isNaN(occurredAt.getTime())) throw new UnfitEvent("no calendar has the event's time");
  if (body.length > BODY_BYTES_MAX) throw new UnfitEvent("the body is too large");
  return { id, projectId, mode, type, resourceId, sequence, body, occurredAt };
}

type Read = (fields: Fields, reader: BinaryReader, bytes: Buffer) => void;

/** By number: the type of each field on the wire, and what reads it. */
const READERS: (readonly [WireType, Read] | undefined)[] = [];

const TEXTS = ["id", "type", "projectId", "resourceId"] as const;
for (const name of TEXTS) {
  READERS[EventSchema.field[name].number] = [
    WireType.LengthDelimited,
    (fields, reader, bytes) => {
      fields[name] = toText(reader, bytes);
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
    fields.occurredAt = toDate(reader, Math.round);
  },
];
for (const { number, localName } of EventSchema.oneofs[0]?.fields ?? []) {
  READERS[number] = [
    WireType.LengthDelimited,
    (fields, reader) => {
      const length = reader.uint32();
      const end = reader.pos + length;
      const body = BODY_READERS[localName];
      if (fields.kind !== localName) body?.clear();
      fields.kind = localName;
      fields.body = body;
      body?.note(reader, end);
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
    mode: 0,
    sequence: 0,
    occurredAt: undefined,
    kind: "nothing",
    body: undefined,
  };
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const known = READERS[tag >>> 3];
    if (known === undefined) skip(reader, tag);
    else {
      const [wireType, read] = known;
      if (wireType !== (tag & 7)) throw new UnfitEvent("a field of another type");
      read(fields, reader, bytes);
    }
  }
  if (reader.pos > reader.len) throw new UnfitEvent("the event ends within a value");
  return fields;
}

const REPLACEMENT = "\ufffd";

function toText(reader: BinaryReader, bytes: Buffer): string {
  const length = reader.uint32();
  const start = reader.pos;
  reader.pos += length;
  if (reader.pos > reader.len) throw new RangeError("the event ends within a value");
  const text = bytes.toString("utf8", start, reader.pos);
  if (text.includes(REPLACEMENT)) throw new UnfitEvent("a text is not UTF-8");
  return text;
}
