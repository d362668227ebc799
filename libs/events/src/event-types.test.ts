import { expect, test } from "@jest/globals";
import {
  EVENT_TYPES,
  getKind,
  isByName,
  isPublic,
  listTopics,
  PUBLIC_TYPES,
  TIMELINE_STEPS,
  TOPICS,
} from "./event-types.ts";

test.each([
  ["payment.confirmed", TOPICS.payments],
  ["settlement.requested", TOPICS.settlements],
  ["refund.failed", TOPICS.refunds],
  ["customer.updated", TOPICS.customers],
  ["project.updated", TOPICS.projects],
  ["api_key.revoked", TOPICS.projects],
  ["transfer.rejected", TOPICS.observations],
  ["transfer.unmatched", TOPICS.transfers],
  ["money.changed", TOPICS.observations],
  ["payment", undefined],
  ["payment.", undefined],
  ["constructor.called", undefined],
  ["", undefined],
])("events of type %j go to %s", (type, topic) => {
  expect(getKind(type)?.topic).toBe(topic);
});

test.each(Object.entries(EVENT_TYPES))(
  "the row of %s is of the kind that its noun names",
  (type, row) => {
    expect(row).toMatchObject(getKind(type) ?? {});
  },
);

test("a verb without a row has the kind of its noun", () => {
  expect(getKind("payment.disputed")).toEqual({ topic: TOPICS.payments, resource: "payment" });
});

test("merchants receive the fifteen documented types, eight more by name, and no other", () => {
  expect(PUBLIC_TYPES.filter((type) => !isByName(type))).toHaveLength(15);
  expect(PUBLIC_TYPES.filter(isByName)).toEqual([
    "payment.received",
    "payment.screened",
    "refund.reorged",
    "settlement.reorged",
    "project.updated",
    "api_key.created",
    "api_key.revoked",
    "transfer.unmatched",
  ]);
  for (const type of [
    "payment.released",
    "payment.disputed",
    "payment.",
    "",
    "payment.refuted",
    "payment.changed",
    "payment.submitted",
    "refund.submitted",
    "refund.refuted",
    "transfer.confirmed",
    "money.changed",
    "project.created",
    "customer.erased",
  ]) {
    expect(isPublic(type)).toBe(false);
  }
});

test("every change of a payment that has an event is a step of its timeline", () => {
  // One more hash has the step of the first.
  const types = Object.keys(EVENT_TYPES).filter(
    (type) => type.startsWith("payment.") && type !== "payment.submitted",
  );
  expect([...new Set(Object.values(TIMELINE_STEPS))].sort()).toEqual(types.sort());
});

test("what merchants receive travels on no topic of observations", () => {
  const { observations, ...others } = TOPICS;
  expect(listTopics(PUBLIC_TYPES).sort()).toEqual(Object.values(others).sort());
});
