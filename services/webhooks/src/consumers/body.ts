// Renders the body of an event once; every attempt sends these bytes. It copies fields from the event's bytes without
// creating objects, because garbage collection is the larger part of the cost of a delivery.
// Amounts, block numbers and metadata keep their text, because JavaScript numbers would round them.
import { isUtf8 } from "node:buffer";
import { create, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import {
  type ApiKeySnapshot,
  ApiKeySnapshotSchema,
  type CustomerSnapshot,
  CustomerSnapshotSchema,
  type PaymentSnapshot,
  PaymentSnapshotSchema,
  type ProjectSnapshot,
  ProjectSnapshotSchema,
  type RefundSnapshot,
  RefundSnapshotSchema,
  type SettlementSnapshot,
  SettlementSnapshotSchema,
  type TransferSnapshot,
  TransferSnapshotSchema,
} from "@pay/proto";
import { INCLUDED_FIELDS } from "../domain/included-fields.ts";
import { InvalidEventError, readTimestamp, skipValue } from "./wire-values.ts";

/** Fields with another name in the message: amounts of bodies are in base units. */
const SOURCES: Readonly<Record<string, string>> = {
  amount: "baseAmount",
  metadata: "metadataJson",
  from: "fromAddress",
  to: "toAddress",
  mode: "keyMode",
  receivedAmount: "receivedBaseAmount",
  refundedAmount: "refundedBaseAmount",
};

type MessageField<Message> =
  | (keyof Message & string)
  | ("baseAmount" extends keyof Message ? "amount" : never)
  | ("fromAddress" extends keyof Message ? "from" | "to" : never)
  | ("keyMode" extends keyof Message ? "mode" : never)
  | ("metadataJson" extends keyof Message ? "metadata" : never)
  | ("receivedBaseAmount" extends keyof Message ? "receivedAmount" | "refundedAmount" : never);

/** The fields of each body, in order. */
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
const PAYMENT_INCLUDED: readonly MessageField<PaymentSnapshot>[] = INCLUDED_FIELDS;
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
  "destinationSource",
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
const TRANSFER: readonly MessageField<TransferSnapshot>[] = [
  "id",
  "amount",
  "currency",
  "chainId",
  "txHash",
  "logIndex",
  "from",
  "to",
  "blockNumber",
  "minedAt",
  "state",
  "reason",
  "candidates",
];

const PROJECT: readonly MessageField<ProjectSnapshot>[] = [
  "id",
  "name",
  "changedFields",
  "changedBy",
];
const API_KEY: readonly MessageField<ApiKeySnapshot>[] = [
  "id",
  "type",
  "mode",
  "scopes",
  "name",
  "prefix",
  "last4",
  "createdBy",
  "createdAt",
  "expiresAt",
  "allowedAddresses",
  "revokedAt",
];

const ABSENT = -1;
/** A byte of text takes at maxBytes six bytes in JSON. */
const GROWTH_MAX = 6;
/** Field names and absent values. */
const FRAME_BYTES_MAX = 1_024;
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;
const CLOSING_BRACE = 0x7d;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const COMMA = 0x2c;

/** Writes the JSON of the next value; returns its end. */
type Write = (reader: BinaryReader, payload: Buffer, out: Buffer, at: number) => number;

interface Slot {
  /** The field's name in JSON, with its separator. */
  label: Buffer;
  wireType: WireType;
  write: Write;
  /** The JSON of a field that the message does not have. */
  absent: Buffer;
  /** Where the values of a list are; undefined where the field is no list. */
  list: number[] | undefined;
}

export interface BodyReader {
  /** Locates the fields of a snapshot; earlier locations stay for fields that it does not have. */
  locate(reader: BinaryReader, end: number): void;
  render(reader: BinaryReader, payload: Buffer): Buffer;
  /** The fields that endpoints may include; absent where the kind has none. */
  renderIncluded?(reader: BinaryReader, payload: Buffer): Buffer;
  /** Forgets all locations. */
  clear(): void;
}

export const BODY_READERS: Readonly<Record<string, BodyReader>> = {
  payment: createBodyReader(PaymentSnapshotSchema, PAYMENT, PAYMENT_INCLUDED),
  refund: createBodyReader(RefundSnapshotSchema, REFUND),
  settlement: createBodyReader(SettlementSnapshotSchema, SETTLEMENT),
  customer: createBodyReader(CustomerSnapshotSchema, CUSTOMER),
  project: createBodyReader(ProjectSnapshotSchema, PROJECT),
  api_key: createBodyReader(ApiKeySnapshotSchema, API_KEY),
  transfer: createBodyReader(TransferSnapshotSchema, TRANSFER),
};

function createBodyReader(
  schema: DescMessage,
  own: readonly string[],
  included: readonly string[] = [],
): BodyReader {
  const names = [...own, ...included];
  const fields = names.map((name) => schema.field[SOURCES[name] ?? name] as DescField);
  const slots = fields.map((field, index) =>
    planSlot(schema, field, {
      name: names[index] ?? "",
      isFirst: index === 0 || index === own.length,
    }),
  );
  const byNumber: (number | undefined)[] = [];
  for (const [index, { number }] of fields.entries()) byNumber[number] = index;
  const places = new Int32Array(slots.length).fill(ABSENT);

  function renderSlots(from: number, to: number): BodyReader["render"] {
    return (reader, payload) => {
      const maxBytes = payload.length * GROWTH_MAX + FRAME_BYTES_MAX;
      const out = maxBytes <= scratch.length ? scratch : Buffer.allocUnsafeSlow(maxBytes);
      let at = 0;
      for (let index = from; index < to; index++) {
        const { label, write, absent } = slots[index] as Slot;
        const place = places[index] ?? ABSENT;
        at = put(label, out, at);
        reader.pos = place;
        at = place === ABSENT ? put(absent, out, at) : write(reader, payload, out, at);
      }
      out[at++] = CLOSING_BRACE;
      const body = Buffer.allocUnsafeSlow(at);
      out.copy(body, 0, 0, at);
      return body;
    };
  }

  return {
    locate: (reader, end) => {
      while (reader.pos < end) {
        const tag = reader.uint32();
        const index = byNumber[tag >>> 3];
        if (index !== undefined) {
          if (slots[index]?.wireType !== (tag & 7))
            throw new InvalidEventError("a field has another type");
          places[index] = reader.pos;
          slots[index]?.list?.push(reader.pos);
        }
        skipValue(reader, tag);
      }
    },
    render: renderSlots(0, own.length),
    ...(included.length > 0 && { renderIncluded: renderSlots(own.length, names.length) }),
    clear: () => {
      places.fill(ABSENT);
      for (const { list } of slots) list?.splice(0);
    },
  };
}

function planSlot(
  schema: DescMessage,
  field: DescField,
  { name, isFirst }: { name: string; isFirst: boolean },
): Slot {
  const { wireType, write } = planValue(field, name);
  const list: number[] | undefined = field.fieldKind === "list" ? [] : undefined;
  const none = (create(schema) as unknown as Record<string, unknown>)[field.localName];
  const absent = typeof none === "bigint" ? none.toString() : JSON.stringify(none ?? null);
  return {
    label: Buffer.from(`${isFirst ? "{" : ","}"${name}":`),
    absent: Buffer.from(absent),
    wireType,
    write: list === undefined ? write : toListWrite(list, write),
    list,
  };
}

function toListWrite(places: readonly number[], write: Write): Write {
  return (reader, payload, out, from) => {
    let at = from;
    for (const place of places) {
      out[at] = at === from ? OPENING_BRACKET : COMMA;
      reader.pos = place;
      at = write(reader, payload, out, at + 1);
    }
    out[at++] = CLOSING_BRACKET;
    return at;
  };
}

function planValue(field: DescField, name: string): Pick<Slot, "wireType" | "write"> {
  if (field.fieldKind === "message") {
    return { wireType: WireType.LengthDelimited, write: writeMoment };
  }
  if (field.scalar === ScalarType.INT64 || field.scalar === ScalarType.INT32) {
    return { wireType: WireType.Varint, write: writeInt64 };
  }
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

/** Copies printable ASCII; other text is decoded and escaped. */
function writeText(reader: BinaryReader, payload: Buffer, out: Buffer, from: number): number {
  const length = reader.uint32();
  const start = reader.pos;
  let at = from;
  out[at++] = QUOTE;
  for (let index = start; index < start + length; index++) {
    const byte = payload[index] ?? 0;
    if (!isPlain(byte)) return putText(JSON.stringify(readText(payload, start, length)), out, from);
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
  return putText(`"${readTimestamp(reader, Math.floor).toISOString()}"`, out, at);
}

/** Copies the merchant's metadata after checking that it is JSON. */
function writeDocument(reader: BinaryReader, payload: Buffer, out: Buffer, at: number): number {
  const length = reader.uint32();
  const json = readText(payload, reader.pos, length);
  try {
    JSON.parse(json);
  } catch (error) {
    throw new InvalidEventError("metadata is not JSON", { cause: error });
  }
  return putText(json, out, at);
}

function putText(json: string, out: Buffer, at: number): number {
  return at + out.write(json, at);
}

function readText(payload: Buffer, start: number, length: number): string {
  const bytes = payload.subarray(start, start + length);
  if (!isUtf8(bytes)) throw new InvalidEventError("a text is not UTF-8");
  return bytes.toString();
}
