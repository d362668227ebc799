import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OutboxRow, outboxRow } from "@pay/events";
import type { PaymentSchema, StepSchema } from "@pay/proto";
import type { Payment } from "./domain/payment.ts";
import type { Step } from "./domain/timeline.ts";

const given = <V>(value: V | null): V | undefined => value ?? undefined;

/** A payment as other services see it. Never with a client secret: that is added to the answer of a creation. */
export const toMessage = (payment: Payment): MessageInitShape<typeof PaymentSchema> => ({
  id: payment.id,
  projectId: payment.project_id,
  mode: payment.mode,
  variant: payment.variant,
  status: payment.status,
  amount: payment.amount,
  baseAmount: payment.base_amount.toString(),
  decimals: payment.decimals,
  currency: payment.currency,
  chainId: payment.chain_id,
  recipientAddress: payment.recipient_address,
  description: given(payment.description),
  metadataJson: given(payment.metadata_json),
  qrMode: payment.qr_mode,
  orderId: given(payment.order_id),
  customerId: given(payment.customer_id),
  expiresAt: timestampFromDate(payment.expires_at),
  createdAt: timestampFromDate(payment.created_at),
  confirmedAt: payment.confirmed_at === null ? undefined : timestampFromDate(payment.confirmed_at),
  refundedAt: payment.refunded_at === null ? undefined : timestampFromDate(payment.refunded_at),
  refundDeclared: payment.refund_declared,
  txHash: given(payment.tx_hash),
  blockNumber: given(payment.block_number),
  payerAddress: given(payment.payer_address),
  senderAddress: given(payment.sender_address),
  receivedBaseAmount: payment.received_base_amount?.toString(),
  failureCode: given(payment.failure_code),
  version: payment.version,
});

export const toStep = (step: Step): MessageInitShape<typeof StepSchema> => ({
  event: step.event,
  status: step.status,
  at: timestampFromDate(step.happened_at),
  reason: given(step.reason),
  txHash: given(step.tx_hash),
});

/** The news of a payment, ready for the outbox: the payment as it is right after the change. */
export const toEvent = (
  type: string,
  payment: Payment,
  occurredAt: Date,
  requestId: string,
): OutboxRow =>
  outboxRow({
    type,
    projectId: payment.project_id,
    mode: payment.mode,
    resourceId: payment.id,
    sequence: payment.version,
    occurredAt: timestampFromDate(occurredAt),
    requestId,
    resource: { case: "payment", value: toMessage(payment) },
  });
