import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import { EventSchema, Mode } from "@pay/proto";
import { readEnvelope } from "./envelope.ts";

const occurredAt = timestampFromDate(new Date("2026-03-01T12:00:00.123Z"));

test("has mode, resource and time of an event", () => {
  const event = create(EventSchema, {
    id: "evt_1",
    type: "payment.created",
    projectId: "proj_1",
    mode: Mode.TEST,
    resourceId: "pay_Ä",
    sequence: 3,
    occurredAt,
    requestId: "req_1",
    resource: { case: "payment", value: { id: "pay_1", description: "a long text" } },
  });
  expect(readEnvelope(toBinary(EventSchema, event))).toEqual({
    projectId: "proj_1",
    mode: "test",
    resourceId: "pay_Ä",
    occurredAt: "2026-03-01T12:00:00.123Z",
  });
});

test("lacks what the event lacks", () => {
  const bytes = toBinary(EventSchema, create(EventSchema, { id: "evt_1" }));
  expect(readEnvelope(bytes)).toEqual({
    projectId: "",
    mode: undefined,
    resourceId: "",
    occurredAt: undefined,
  });
});

test.each([
  ["no bytes", []],
  ["bytes that end too early", [0x2a, 0xff]],
  ["bytes of no message", [0xff, 0xff, 0xff]],
  [
    "a time that no calendar has",
    [0x3a, 0x06, 0x08, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x3a, 0x0b, 0x08],
  ],
])("is empty for %s", (_, bytes) => {
  expect(readEnvelope(Uint8Array.from(bytes))).toMatchObject({ resourceId: "" });
});
