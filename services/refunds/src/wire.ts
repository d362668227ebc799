import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type OutboxRow, outboxRow } from "@pay/events";
import { type Refund as Message, RefundSchema } from "@pay/proto";
import type { Refund } from "./domain/refund.ts";

const given = <V>(value: V | null): V | undefined => value ?? undefined;

export const toMessage = (refund: Refund): Message =>
  create(RefundSchema, {
    id: refund.id,
    projectId: refund.project_id,
    mode: refund.mode,
    paymentId: refund.payment_id,
    status: refund.status,
    amount: refund.amount,
    baseAmount: refund.base_amount.toString(),
    decimals: refund.decimals,
    currency: refund.currency,
    chainId: refund.chain_id,
    orderId: given(refund.order_id),
    paymentBaseAmount: refund.payment_base_amount.toString(),
    sourceAddress: refund.source_address,
    destinationAddress: refund.destination_address,
    reason: given(refund.reason),
    failureReason: given(refund.failure_reason),
    txHash: given(refund.tx_hash),
    blockNumber: given(refund.block_number),
    refundedBaseAmount: refund.refunded_base_amount.toString(),
    createdAt: timestampFromDate(refund.created_at),
    ...(refund.completed_at && { completedAt: timestampFromDate(refund.completed_at) }),
    version: refund.version,
  });

/** The news of a refund, ready for the outbox: the refund as it is right after the change. */
export const toEvent = (
  type: string,
  refund: Refund,
  occurredAt: Date,
  requestId: string,
): OutboxRow =>
  outboxRow({
    type,
    projectId: refund.project_id,
    mode: refund.mode,
    resourceId: refund.id,
    sequence: refund.version,
    occurredAt: timestampFromDate(occurredAt),
    requestId,
    resource: { case: "refund", value: toMessage(refund) },
  });
