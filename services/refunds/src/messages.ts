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

/** A payment as the domain reads it, from a response or an event. */
export function toPayment({ confirmedAt, ...payment }: PaymentMessage | PaymentSnapshot): Payment {
  return {
    ...payment,
    confirmedAt: confirmedAt && timestampDate(confirmedAt),
  };
}

/** The columns that a request for a refund fills. */
export const refundColumns = planColumns(CreateRefundRequestSchema);

/** Columns that never leave this service, and fields that no column holds yet. */
const INTERNAL_OF_REFUND = {
  surplus: "unstored",
  declared: "unstored",
  reservedBaseAmount: "unstored",
  surplusRefundedBaseAmount: "unstored",
  needs: "unstored",
  payer_address: "internal",
  sender_address: "internal",
  customer_id: "internal",
  other_hashes: "internal",
} as const;

const REFUNDS = planMessages<typeof RefundSchema, Refund>(RefundSchema, INTERNAL_OF_REFUND);

export function toMessage(refund: Refund): Message {
  return rowToMessage(REFUNDS, refund);
}

/** The event of a change, ready for the outbox, with the refund as it is right after the change. */
export const toEvent = planEvents<typeof RefundSnapshotSchema, Refund>(
  RefundSnapshotSchema,
  INTERNAL_OF_REFUND,
);

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
