// What a merchant gets: bodies are rendered once, when the event arrives, and sent as these bytes by every attempt.
// They are written straight from the bytes of the event, field by field: no object and hardly any text is made on the way,
// because what a dispatcher leaves to the garbage collector is the greater part of what a delivery costs it.
// Values that JavaScript's numbers could bend (amounts, block numbers, the merchant's own metadata) are put in as the
// text they came in.
import { isUtf8 } from "node:buffer";
import { create, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  type CustomerSnapshot,
  CustomerSnapshotSchema,
  type PaymentSnapshot,
  PaymentSnapshotSchema,
  type RefundSnapshot,
  RefundSnapshotSchema,
  type SettlementSnapshot,
  SettlementSnapshotSchema,
} from "@pay/proto";
import { UnfitEvent } from "./unfit-event.ts";
import { skip, toDate } from "./wire-values.ts";

/** Fields that have another name in a message: amounts of bodies are in base units. */
const SOURCES: Readonly<Record<string, string>> = {
  amount: "baseAmount",
  metadata: "metadataJson",
};

type MessageField<Message> =
  | (keyof Message & string)
  | ("metadataJson" extends keyof Message ? "metadata" : never);

/** The fields of each body in their order, with the values of the message. */
const PAYMENT: readonly MessageField<PaymentSnapshot>[] = [
  "id",
  "status",
  "txHash",
  "blockNumber",
  "amount",
  "currency",
  "orderId",
  "chainId",
];
const REFUND: readonly MessageField<RefundSnapshot>[] = [
  "id",
  "paymentId",
  "status",
  "amount",
  "currency",
  "chainId",
  "txHash",
  "reason",
  "failureReason",
  "orderId",
];
const SETTLEMENT: readonly MessageField<SettlementSnapshot>[] = [
  "id",
  "status",
  "amount",
  "currency",
  "chainId",
  "destinationAddress",
  "txHash",
  "blockNumber",
  "failureReason",
];
const CUSTOMER: readonly MessageField<CustomerSnapshot>[] = [
  "id",
  "walletAddress",
  "displayName",
  "metadata",
  "createdAt",
  "updatedAt",
];

const NOWHERE = -1;
/** A character of text takes six bytes in JSON at the most. */
const GROWTH_MAX = 6;
/** Names and values that are absent. */
const FRAME_BYTES_MAX = 1_024;
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;
const CLOSING_BRACE = 0x7d;

/** Writes the JSON of the value at the reader's place; answers where it ends. */
type Write = (reader: BinaryReader, payload: Buffer, out: Buffer, at: number) => number;

interface Slot {
  /** The field's name in JSON, with what stands before it. */
  label: Buffer;
  wireType: WireType;
  write: Write;
  /** The JSON where the message does not have the field. */
  absent: Buffer;
}

/** Reads one snapshot after the other. */
export interface BodyReader {
  /** Notes where the fields of a snapshot are; what was noted before stays where this one says nothing else. */
  note(reader: BinaryReader, end: number): void;
  render(reader: BinaryReader, payload: Buffer): Buffer;
  /** Forgets what was noted. */
  clear(): void;
}

export const BODY_READERS: Readonly<Record<string, BodyReader>> = {
  payment: createBodyReader(PaymentSnapshotSchema, PAYMENT),
  refund: createBodyReader(RefundSnapshotSchema, REFUND),
  settlement: createBodyReader(SettlementSnapshotSchema, SETTLEMENT),
  customer: createBodyReader(CustomerSnapshotSchema, CUSTOMER),
};

function createBodyReader(schema: DescMessage, names: readonly string[]): BodyReader {
  const fields = names.map((name) => schema.field[SOURCES[name] ?? name] as DescField);
  const slots = fields.map((field, index) => toSlot(schema, field, names[index] ?? "", index));
  const byNumber: (number | undefined)[] = [];
  for (const [index, { number }] of fields.entries()) byNumber[number] = index;
  const places = new Int32Array(slots.length).fill(NOWHERE);

  return {
    note: (reader, end) => {
      while (reader.pos < end) {
        const tag = reader.uint32();
        const index = byNumber[tag >>> 3];
        if (index !== undefined) {
          if (slots[index]?.wireType !== (tag & 7)) throw new UnfitEvent("a field of another type");
          places[index] = reader.pos;
        }
        skip(reader, tag);
      }
    },
    render: (reader, payload) => {
      const most = payload.length * GROWTH_MAX + FRAME_BYTES_MAX;
      const out = most <= scratch.length ? scratch : Buffer.allocUnsafeSlow(most);
      let at = 0;
      for (let index = 0; index < slots.length; index++) {
        const { label, write, absent } = slots[index] as Slot;
        const place = places[index] ?? NOWHERE;
        at = put(label, out, at);
        reader.pos = place;
        at = place === NOWHERE ? put(absent, out, at) : write(reader, payload, out, at);
      }
      out[at++] = CLOSING_BRACE;
      const body = Buffer.allocUnsafeSlow(at);
      out.copy(body, 0, 0, at);
      return body;
    },
    clear: () => places.fill(NOWHERE),
  };
}

function toSlot(schema: DescMessage, field: DescField, name: string, index: number): Slot {
  const { wireType, write } = getKind(field, name);
  const none = (create(schema) as unknown as Record<string, unknown>)[field.localName];
  const absent = typeof none === "bigint" ? none.toString() : JSON.stringify(none ?? null);
  return {
    label: Buffer.from(`${index === 0 ? "{" : ","}"${name}":`),
    absent: Buffer.from(absent),
    wireType,
    write,
  };
}

function getKind(field: DescField, name: string): Pick<Slot, "wireType" | "write"> {
  if (field.fieldKind === "message") {
    return { wireType: WireType.LengthDelimited, write: writeMoment };
  }
  if (field.scalar === ScalarType.INT64) return { wireType: WireType.Varint, write: writeInt64 };
  return {
    wireType: WireType.LengthDelimited,
    write: name === "metadata" ? writeDocument : writeText,
  };
}

function put(bytes: Buffer, out: Buffer, from: number): number {
  let at = from;
  for (let index = 0; index < bytes.length; index++) out[at++] = bytes[index] ?? 0;
  return at;
}

/** Text that means nothing to JSON is copied; all other text is read and escaped. */
function writeText(reader: BinaryReader, payload: Buffer, out: Buffer, from: number): number {
  const length = reader.uint32();
  const start = reader.pos;
  let at = from;
  out[at++] = QUOTE;
  for (let index = start; index < start + length; index++) {
    const byte = payload[index] ?? 0;
    if (!isPlain(byte)) return putText(JSON.stringify(text(payload, start, length)), out, from);
    out[at++] = byte;
  }
  out[at++] = QUOTE;
  return at;
}

function isPlain(byte: number): boolean {
  const isPrintable = byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE;
  return isPrintable && byte !== QUOTE && byte !== BACKSLASH;
}

function writeInt64(reader: BinaryReader, _payload: Buffer, out: Buffer, at: number): number {
  return putText(reader.int64().toString(), out, at);
}

function writeMoment(reader: BinaryReader, _payload: Buffer, out: Buffer, at: number): number {
  return putText(`"${toDate(reader, Math.floor).toISOString()}"`, out, at);
}

/** The merchant's own JSON, unchanged, once it is known to be JSON. */
function writeDocument(reader: BinaryReader, payload: Buffer, out: Buffer, at: number): number {
  const length = reader.uint32();
  const json = text(payload, reader.pos, length);
  try {
    JSON.parse(json);
  } catch (error) {
    throw new UnfitEvent("metadata is not JSON", { cause: error });
  }
  return putText(json, out, at);
}

function putText(json: string, out: Buffer, at: number): number {
  return at + out.write(json, at);
}

function text(payload: Buffer, start: number, length: number): string {
  const bytes = payload.subarray(start, start + length);
  if (!isUtf8(bytes)) throw new UnfitEvent("a text is not UTF-8");
  return bytes.toString();
}
