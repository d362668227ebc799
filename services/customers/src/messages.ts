import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { messageOf, planMessages } from "@pay/database";
import { type OutboxRow, outboxRow } from "@pay/events";
import { CustomerSchema, type Customer as Message } from "@pay/proto";
import type { Customer } from "./domain/customer.ts";

const CUSTOMERS = planMessages<typeof CustomerSchema, Customer>(CustomerSchema, {});

export function toMessage(customer: Customer): Message {
  return messageOf(CUSTOMERS, customer);
}

/**
 * The event of a change, ready for the outbox. It has no email: no receiver reads one, and an erasure could not
 * delete it from the bus.
 */
export function toEvent(
  type: "customer.created" | "customer.updated",
  customer: Customer,
  requestId: string,
): OutboxRow {
  return outboxRow({
    type,
    projectId: customer.project_id,
    mode: customer.mode,
    resourceId: customer.id,
    sequence: customer.version,
    occurredAt: timestampFromDate(customer.updated_at),
    requestId,
    resource: { case: "customer", value: toMessage({ ...customer, email: null }) },
  });
}
