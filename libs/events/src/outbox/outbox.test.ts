import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { EventSchema } from "@pay/proto";
import { isId, newId } from "@pay/values";
import { type EventType, TOPICS } from "../event-types.ts";
import { outboxRow } from "./outbox.ts";

const paymentCreated = {
  type: "payment.created",
  projectId: "proj_1",
  resourceId: "pay_1",
  requestId: "req_1",
  resource: { case: "payment", value: { id: "pay_1" } },
} as const;

describe("an outbox row", () => {
  test("carries the finished event, keyed by its project and a bucket of its resource", () => {
    const row = outboxRow(paymentCreated);
    expect(row).toMatchObject({
      type: "payment.created",
      topic: TOPICS.payments,
      key: "proj_1/10",
      requestId: "req_1",
    });
    const event = fromBinary(EventSchema, row.payload);
    expect(event.id).toBe(row.eventId);
    expect(event.resource).toMatchObject({ case: "payment", value: { id: "pay_1" } });
  });

  test("has one key for all refunds of a payment, and many for the payments of a project", () => {
    const keys = Array.from({ length: 200 }, (_, n) => {
      const resourceId = `refund_${n}`;
      const refund = { case: "refund", value: { id: resourceId, paymentId: "pay_1" } } as const;
      return outboxRow({ ...paymentCreated, type: "refund.created", resourceId, resource: refund });
    }).map(({ key }) => key);
    expect(new Set(keys)).toEqual(new Set([outboxRow(paymentCreated).key]));
    const payments = Array.from({ length: 2_000 }, () => newId("pay"));
    const ofPayments = payments.map((resourceId) => outboxRow({ ...paymentCreated, resourceId }));
    expect(new Set(ofPayments.map(({ key }) => key)).size).toBe(64);
  });

  test("gives every event an id of its own and keeps one it already has", () => {
    const first = outboxRow(paymentCreated);
    expect(isId("evt", first.eventId)).toBe(true);
    expect(outboxRow(paymentCreated).eventId).not.toBe(first.eventId);
    expect(outboxRow({ ...paymentCreated, id: "evt_mine" }).eventId).toBe("evt_mine");
  });

  test("is refused for a type without a topic, a wrong resource, or no project", () => {
    expect(() => outboxRow({ ...paymentCreated, type: "invoice.created" as EventType })).toThrow(
      "no topic",
    );
    expect(() => outboxRow({ ...paymentCreated, type: "refund.created" })).toThrow(
      "carries a refund",
    );
    expect(() => outboxRow({ ...paymentCreated, projectId: "" })).toThrow("needs a project");
  });
});
