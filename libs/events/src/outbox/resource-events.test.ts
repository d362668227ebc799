import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import { CustomerSchema, CustomerSnapshotSchema, EventSchema, Mode } from "@pay/proto";
import { toRecordKey } from "./record-key.ts";
import { planEvents } from "./resource-events.ts";

const AT = new Date("2026-01-02T03:04:05.678Z");
const ROW = {
  id: "cust_1",
  project_id: "proj_1",
  mode: Mode.TEST,
  wallet_address: "0xAb",
  email: "someone@shop.example" as string | null,
  display_name: null as string | null,
  metadata_json: "{}",
  created_at: AT,
  updated_at: AT,
  version: 3,
};

const toEvent = planEvents<typeof CustomerSnapshotSchema, typeof ROW>(CustomerSnapshotSchema, {
  email: "internal",
});

test("an event is made from a row alone, and shows what its own message has", () => {
  const { payload, ...row } = toEvent("customer.updated", ROW, AT, "req_1");
  const event = fromBinary(EventSchema, payload);
  expect(row).toEqual({
    eventId: event.id,
    type: "customer.updated",
    topic: "customers.events.v1",
    key: toRecordKey("proj_1", "cust_1"),
    requestId: "req_1",
  });
  expect(event).toMatchObject({
    projectId: "proj_1",
    mode: Mode.TEST,
    resourceId: "cust_1",
    sequence: 3,
    occurredAt: timestampFromDate(AT),
    resource: { case: "customer", value: { $typeName: "events.v1.CustomerSnapshot", version: 3 } },
  });
  expect(event.resource.value).not.toHaveProperty("$unknown");
  expect(Buffer.from(payload).includes("someone@")).toBe(false);
});

test("a message that no event carries makes none", () => {
  expect(() => planEvents<typeof CustomerSchema, typeof ROW>(CustomerSchema, {})).toThrow(
    "no event carries a customers.v1.Customer",
  );
});

/** True where two types are the same; another value does not compile then. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
/** The names that must be listed. */
type Differences<Row extends typeof ROW> = Needed<
  Parameters<typeof planEvents<typeof CustomerSnapshotSchema, Row>>[1]
>;
type Needed<T> = { [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] };

test("what does not fit the event does not compile", () => {
  const holds: [
    Same<
      Parameters<typeof toEvent>[0],
      "customer.created" | "customer.updated" | "customer.erased"
    >,
    Same<keyof Differences<typeof ROW>, "email">,
    Same<keyof Differences<typeof ROW & { note: string }>, "email" | "note">,
    Same<Parameters<ReturnType<typeof planEvents<typeof CustomerSchema, typeof ROW>>>[0], never>,
  ] = [true, true, true, true];
  expect(holds).not.toContain(false);
});
