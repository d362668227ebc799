import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OutboxRow, outboxRow } from "@pay/events";
import { CustomerSchema, type Customer as Message } from "@pay/proto";
import type { Customer } from "./domain/customer.ts";

const given = <V>(value: V | null): V | undefined => value ?? undefined;

export const toMessage = (customer: Customer): Message =>
  create(CustomerSchema, {
    id: customer.id,
    projectId: customer.project_id,
    mode: customer.mode,
    walletAddress: customer.wallet_address,
    email: given(customer.email),
    displayName: given(customer.display_name),
    metadataJson: given(customer.metadata_json),
    createdAt: timestampFromDate(customer.created_at),
    updatedAt: timestampFromDate(customer.updated_at),
    version: customer.version,
  });

/**
 * The news of a customer, ready for the outbox. It has no email: no receiver is shown one, and an erasure could
 * not reach what the bus has kept.
 */
export const toEvent = (
  type: "customer.created" | "customer.updated",
  customer: Customer,
  requestId: string,
): OutboxRow =>
  outboxRow({
    type,
    projectId: customer.project_id,
    mode: customer.mode,
    resourceId: customer.id,
    sequence: customer.version,
    occurredAt: timestampFromDate(customer.updated_at),
    requestId,
    resource: { case: "customer", value: toMessage({ ...customer, email: null }) },
  });
