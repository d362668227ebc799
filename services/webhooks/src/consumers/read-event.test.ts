import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "@jest/globals";
import { type Event, EventSchema, PaymentSnapshotSchema } from "@pay/proto";
import { readEvent } from "./read-event.ts";
import { InvalidEventError } from "./wire-values.ts";

const PAYMENT = { id: "pay_1", status: "confirmed", baseAmount: "5", chainId: 137n };

function toBytes(change: object = {}): Uint8Array {
  const event = {
    id: "evt_1",
    type: "payment.confirmed",
    projectId: "proj_1",
    mode: 2,
    resourceId: "pay_1",
    sequence: -3,
    requestId: "req_1",
    occurredAt: { seconds: 1_772_366_400n, nanos: 7_600_000 },
    resource: { case: "payment", value: PAYMENT },
    ...change,
  };
  return toBinary(EventSchema, create(EventSchema, event as Event));
}

function withPayment(first: Uint8Array, fields: object): Uint8Array {
  const payment = toBinary(PaymentSnapshotSchema, create(PaymentSnapshotSchema, fields));
  const { number } = EventSchema.field.payment;
  const more = new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(payment).finish();
  return Buffer.concat([first, more]);
}

test("the fields of a delivery are read from an event", () => {
  expect(readEvent(toBytes())).toEqual({
    id: "evt_1",
    type: "payment.confirmed",
    projectId: "proj_1",
    requestId: "req_1",
    mode: 2,
    resourceId: "pay_1",
    sequence: -3,
    occurredAt: new Date("2026-03-01T12:00:00.008Z"),
    body: expect.any(Buffer),
    included: expect.any(Buffer),
  });
});

test("an internal event is skipped", () => {
  const type = "transfer.confirmed";
  expect(readEvent(toBytes({ type, resource: { case: "observation", value: {} } }))).toBe(
    undefined,
  );
});

test("unknown fields are skipped", () => {
  const later = new BinaryWriter()
    .tag(900, WireType.Varint)
    .int64(-1n)
    .tag(901, WireType.LengthDelimited)
    .string("later")
    .tag(902, WireType.Bit64)
    .fixed64(1n)
    .finish();
  const bytes = Buffer.concat([later, toBytes(), later]);
  expect(readEvent(bytes)).toEqual(readEvent(toBytes()));
});

test("parts of a resource are merged, and the last of two resources wins", () => {
  const parts = withPayment(toBytes(), { orderId: "o", status: "failed" });
  expect(JSON.parse(`${readEvent(parts)?.body}`)).toMatchObject({
    id: "pay_1",
    status: "failed",
    amount: "5",
    orderId: "o",
    chainId: 137,
  });
  const refund = toBytes({ resource: { case: "refund", value: { id: "refund_1" } } });
  const last = withPayment(Buffer.concat([toBytes(), refund]), { id: "pay_2" });
  expect(JSON.parse(`${readEvent(last)?.body}`)).toMatchObject({ id: "pay_2", status: "" });
});

test("truncated or undecodable bytes are rejected", () => {
  const bytes = toBytes();
  const { length } = withPayment(Buffer.alloc(0), PAYMENT);
  for (let end = bytes.length - length + 1; end < bytes.length; end++) {
    expect(() => readEvent(bytes.subarray(0, end))).toThrow();
  }
  expect(() => readEvent(Buffer.from("no event"))).toThrow();
  expect(() => readEvent(Buffer.from([0, 0]))).toThrow();
});

test.each([
  ["a text that is not UTF-8", [0xff, 0xfe]],
  ["a text that ends within a character", [0x61, 0xe2, 0x82]],
])("%s is rejected in any field", (_name, broken) => {
  const id = Buffer.from([0x0a, broken.length, ...broken]);
  expect(() => readEvent(Buffer.concat([toBytes(), id]))).toThrow(InvalidEventError);
  const { number } = EventSchema.field.payment;
  const resource = new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(id).finish();
  expect(() => readEvent(Buffer.concat([toBytes(), resource]))).toThrow(InvalidEventError);
});

test.each([
  ["no id", { id: "" }],
  ["no project", { projectId: "" }],
  ["no time", { occurredAt: undefined }],
  ["a time of no calendar", { occurredAt: { seconds: 9_000_000_000_000_000n, nanos: 0 } }],
  [
    "a body that is too large",
    { resource: { case: "payment", value: { ...PAYMENT, orderId: "\n".repeat(40_000) } } },
  ],
])("an event with %s is invalid", (_name, change) => {
  expect(() => readEvent(toBytes(change))).toThrow(InvalidEventError);
});
