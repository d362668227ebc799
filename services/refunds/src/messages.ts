import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { messageOf, planColumns, planMessages } from "@pay/database";
import { type EventType, type OutboxRow, outboxRow } from "@pay/events";
import {
  CreateRefundRequestSchema,
  CreateSettlementRequestSchema,
  type Destination as DestinationMessage,
  DestinationSchema,
  type Refund as Message,
  type Payment as PaymentMessage,
  RefundSchema,
  type Settlement as SettlementMessage,
  SettlementSchema,
} from "@pay/proto";
import type { Destination } from "./domain/address-book.ts";
import type { Payment } from "./domain/balance.ts";
import type { Refund } from "./domain/refund.ts";
import type { Settlement } from "./domain/settlement.ts";

/** A payment as the domain reads it. */
export function toPayment({ confirmedAt, ...payment }: PaymentMessage): Payment {
  return {
    ...payment,
    confirmedAt: confirmedAt && timestampDate(confirmedAt),
  };
}

/** The columns that a request for a refund fills. */
export const refundColumns = planColumns(CreateRefundRequestSchema);

const REFUNDS = planMessages<typeof RefundSchema, Refund>(RefundSchema, {
  payer_address: "internal",
  sender_address: "internal",
  customer_id: "internal",
  other_hashes: "internal",
  wallet_counted: "internal",
});

export function toMessage(refund: Refund): Message {
  return messageOf(REFUNDS, refund);
}

/** The event of a change, ready for the outbox, with the refund as it is right after the change. */
export function toEvent(
  type: EventType,
  refund: Refund,
  occurredAt: Date,
  requestId: string,
): OutboxRow {
  return outboxRow({
    type,
    projectId: refund.project_id,
    mode: refund.mode,
    resourceId: refund.id,
    sequence: refund.version,
    occurredAt: timestampFromDate(occurredAt),
    requestId,
    resource: { case: "refund", value: toMessage(refund) },
  });
}

/** The columns that a request for a settlement fills. */
export const settlementColumns = planColumns(CreateSettlementRequestSchema);

const SETTLEMENTS = planMessages<typeof SettlementSchema, Settlement>(SettlementSchema, {
  other_hashes: "internal",
});

export function toSettlementMessage(settlement: Settlement): SettlementMessage {
  return messageOf(SETTLEMENTS, settlement);
}

/** The event of a change of a settlement, ready for the outbox. */
export function toSettlementEvent(
  type: EventType,
  settlement: Settlement,
  { now, requestId }: { now: Date; requestId: string },
): OutboxRow {
  return outboxRow({
    type,
    projectId: settlement.project_id,
    mode: settlement.mode,
    resourceId: settlement.id,
    sequence: settlement.version,
    occurredAt: timestampFromDate(now),
    requestId,
    resource: { case: "settlement", value: toSettlementMessage(settlement) },
  });
}

const DESTINATIONS = planMessages<typeof DestinationSchema, Destination>(DestinationSchema, {});

export function toDestinationMessage(entry: Destination): DestinationMessage {
  return messageOf(DESTINATIONS, entry);
}
