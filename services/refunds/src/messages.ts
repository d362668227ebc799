import { timestampDate } from "@bufbuild/protobuf/wkt";
import { planColumns, planMessages, rowToMessage } from "@pay/database";
import { planEvents } from "@pay/events";
import {
  CreateRefundRequestSchema,
  CreateSettlementRequestSchema,
  type Destination as DestinationMessage,
  DestinationSchema,
  type Refund as Message,
  type Payment as PaymentMessage,
  type PaymentSnapshot,
  RefundSchema,
  RefundSnapshotSchema,
  type Settlement as SettlementMessage,
  SettlementSchema,
  SettlementSnapshotSchema,
} from "@pay/proto";
import type { Destination } from "./domain/address-book.ts";
import type { Payment } from "./domain/balance.ts";
import type { Refund } from "./domain/refund.ts";
import type { Settlement } from "./domain/settlement.ts";

/** A payment as the domain reads it, from a response or an event; an event names no senders. */
export function toPayment({
  confirmedAt,
  refundedAt,
  ...payment
}: PaymentMessage | PaymentSnapshot): Payment {
  return {
    senders: [],
    ...payment,
    isReviewed: payment.needs === "review" && "screened" in payment && payment.screened.length > 0,
    confirmedAt: confirmedAt && timestampDate(confirmedAt),
    refundedAt: refundedAt && timestampDate(refundedAt),
  };
}

/** The columns that a request for a refund fills. */
export const refundColumns = planColumns(CreateRefundRequestSchema);

/** Columns that never leave this service. */
const INTERNAL_OF_REFUND = {
  payer_address: "internal",
  sender_address: "internal",
  customer_id: "internal",
  other_hashes: "internal",
} as const;

const REFUNDS = planMessages<typeof RefundSchema, Refund>(RefundSchema, INTERNAL_OF_REFUND);

export function toMessage(refund: Refund): Message {
  return rowToMessage(REFUNDS, refund);
}

/** As reads show it: a reorganisation of the payment holds its refunds. */
export function toMessages(refunds: readonly Refund[], reorged: ReadonlySet<Refund>): Message[] {
  return refunds.map((refund) => {
    const message = toMessage(refund);
    return reorged.has(refund) ? { ...message, heldReason: "payment_reorged" } : message;
  });
}

/** The event of a change, ready for the outbox, with the refund as it is right after the change. */
export const toEvent = planEvents<typeof RefundSnapshotSchema, Refund>(RefundSnapshotSchema, {
  ...INTERNAL_OF_REFUND,
  requested_by: "internal",
});

/** The columns that a request for a settlement fills. */
export const settlementColumns = planColumns(CreateSettlementRequestSchema);

/** Columns that never leave this service. */
const INTERNAL_OF_SETTLEMENT = { other_hashes: "internal" } as const;

const SETTLEMENTS = planMessages<typeof SettlementSchema, Settlement>(
  SettlementSchema,
  INTERNAL_OF_SETTLEMENT,
);

export function toSettlementMessage(settlement: Settlement): SettlementMessage {
  return rowToMessage(SETTLEMENTS, settlement);
}

/** The event of a change of a settlement, ready for the outbox. */
export const toSettlementEvent = planEvents<typeof SettlementSnapshotSchema, Settlement>(
  SettlementSnapshotSchema,
  INTERNAL_OF_SETTLEMENT,
);

const DESTINATIONS = planMessages<typeof DestinationSchema, Destination>(DestinationSchema, {});

export function toDestinationMessage(entry: Destination): DestinationMessage {
  return rowToMessage(DESTINATIONS, entry);
}
