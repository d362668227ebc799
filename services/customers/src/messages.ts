import { planMessages, rowToMessage } from "@pay/database";
import { type OutboxRow, planEvents } from "@pay/events";
import { CustomerSchema, CustomerSnapshotSchema, type Customer as Message } from "@pay/proto";
import type { Customer } from "./domain/customer.ts";

const CUSTOMERS = planMessages<typeof CustomerSchema, Customer>(CustomerSchema, {});

export function toMessage(customer: Customer): Message {
  return rowToMessage(CUSTOMERS, customer);
}

const createEvent = planEvents<typeof CustomerSnapshotSchema, Customer>(CustomerSnapshotSchema, {
  email: "internal",
});

/** The event of a change, ready for the outbox. */
export function toEvent(
  type: Parameters<typeof createEvent>[0],
  customer: Customer,
  requestId: string,
): OutboxRow {
  return createEvent(type, customer, customer.updated_at, requestId);
}
