import { expect, test } from "@jest/globals";
import type { KafkaMessage } from "kafkajs";
import Decoder from "kafkajs/src/protocol/decoder.js";
import decodeRecord from "kafkajs/src/protocol/recordBatch/record/v0/decoder.js";
import encodeRecord from "kafkajs/src/protocol/recordBatch/record/v0/index.js";
import "./fast-decode.ts";
import { toHeaders, toRecord } from "./record.ts";

const RECORD = {
  topic: "payments.v1",
  key: "proj_1",
  eventId: "evt_1",
  type: "payment.created",
  requestId: "req_1",
  payload: Buffer.from("payload"),
};
const PUBLISHED_AT = 1_772_366_400_123n;

/** The record as kafkajs writes it and reads it again; `laterMs` after the first one of its batch. */
function passed(change: object = {}, laterMs = 0n): KafkaMessage {
  const record = encodeRecord({
    offsetDelta: 5,
    timestampDelta: laterMs,
    key: RECORD.key,
    value: RECORD.payload,
    headers: toHeaders(RECORD),
    ...change,
  });
  const bytes = new Decoder(record.buffer).readVarIntBytes() ?? Buffer.alloc(0);
  const batch = { firstOffset: "7", firstTimestamp: PUBLISHED_AT.toString() };
  return decodeRecord(new Decoder(bytes), batch);
}

test("a record is read with its headers", () => {
  expect(toRecord("payments.v1", 3, passed())).toEqual({
    ...RECORD,
    place: { partition: 3, offset: "12", publishedAt: new Date(Number(PUBLISHED_AT)) },
  });
  expect(passed().headers?.ce_source?.toString()).toBe("payments.v1");
});

test("of a header that is there twice the first one counts, and others do not disturb it", () => {
  const headers = {
    "trace-id": "t".repeat(300),
    ce_id: ["evt_1", "evt_2"],
    ce_typf: "other",
    ce_type: "payment.failed",
  };
  const { eventId, type, requestId } = toRecord("payments.v1", 0, passed({ headers }));
  expect([eventId, type, requestId]).toEqual(["evt_1", "payment.failed", ""]);
});

test.each([0n, 1n, -1n, 63n, 64n, -64n, -65n, 500n, 604_800_000n, -604_800_000n, 2n ** 47n])(
  "a record published %s ms after the first one of its batch has its own time",
  (laterMs) => {
    expect(BigInt(passed({}, laterMs).timestamp) - PUBLISHED_AT).toBe(laterMs);
  },
);

test("a distance beyond what JavaScript counts exactly is kept", () => {
  const laterMs = 2n ** 60n + 1n;
  expect(BigInt(passed({}, laterMs).timestamp) - PUBLISHED_AT).toBe(laterMs);
});

test("headers that end too early are none", () => {
  const bytes = Buffer.from([0x7e, 0x0a, 0x63, 0x65]);
  const headers = new Decoder(bytes).readVarIntArray() as NonNullable<KafkaMessage["headers"]>;
  const message = { ...passed(), headers } as KafkaMessage;
  const { eventId, type, requestId } = toRecord("payments.v1", 0, message);
  expect([eventId, type, requestId]).toEqual(["", "", ""]);
});
