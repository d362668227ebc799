// What chains has to know of a payment, from its events and from the answers of payments.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { PaymentSnapshot, UnpaidPayment } from "@pay/proto";
import { toAddress, toAmount, toChainId, toCurrency, toReference } from "@pay/values";
import { SLACK_MAX_MS } from "./domain/orders.ts";
import type { Watch } from "./storage/watches.ts";

const PAID: ReadonlySet<string> = new Set(["confirmed", "refunded"]);

/** The fields that are read here; one that is unpaid was not cancelled. */
type Known = Pick<
  UnpaidPayment | PaymentSnapshot,
  | "id"
  | "projectId"
  | "mode"
  | "status"
  | "baseAmount"
  | "chainId"
  | "currency"
  | "recipientAddress"
  | "createdAt"
  | "expiresAt"
  | "closedAt"
  | "payerAddress"
  | "payerSignedAt"
  | "lateDecision"
  | "unnamedTransfers"
  | "payTo"
  | "version"
> &
  Pick<Partial<PaymentSnapshot>, "cancelledAt">;

export function toWatch(payment: Known, requestId: string): Watch {
  const { createdAt, expiresAt, cancelledAt, closedAt, payerAddress, payerSignedAt } = payment;
  if (createdAt === undefined || expiresAt === undefined) {
    throw new Error("a payment lacks one of its times");
  }
  return {
    paymentId: payment.id,
    projectId: payment.projectId,
    mode: payment.mode,
    requestId,
    chainId: toChainId(payment.chainId),
    recipient: toAddress(payment.recipientAddress),
    currency: toCurrency(payment.currency),
    amount: toAmount(payment.baseAmount),
    openedAt: timestampDate(createdAt),
    expiresAt: timestampDate(expiresAt),
    endsAt: getEnd(timestampDate(expiresAt), cancelledAt && timestampDate(cancelledAt)),
    signedBy:
      payerSignedAt === undefined || payerAddress === undefined
        ? undefined
        : toAddress(payerAddress),
    isHeld: payment.unnamedTransfers === "hold",
    closedAt: closedAt && timestampDate(closedAt),
    isAccepted: payment.lateDecision === "accepted",
    // A deposit address takes money of its payment at any time.
    isFollowed: payment.payTo !== undefined || !PAID.has(payment.status),
    version: payment.version,
    reference: toReference(payment.id),
    payTo: payment.payTo === undefined ? undefined : toAddress(payment.payTo),
  };
}

/** A transfer that was sent before a cancellation may be in a block whose stamp is a moment after it. */
function getEnd(expiresAt: Date, cancelledAt: Date | undefined): Date {
  if (cancelledAt === undefined) return expiresAt;
  return new Date(Math.min(expiresAt.getTime(), cancelledAt.getTime() + SLACK_MAX_MS));
}
