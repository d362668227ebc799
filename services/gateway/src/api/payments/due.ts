// What of a payment is still to pay.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Amount, toAmount } from "@pay/values";
import type { FollowedPayment } from "../../streams/streams.ts";

interface Seen {
  payment: FollowedPayment;
  now: Date;
}

const OPEN = ["created", "pending", "processing", "failed"];

/** What of the amount has not arrived, in base units. */
export function computeMissing({ baseAmount, receivedBaseAmount = "0" }: FollowedPayment): bigint {
  return BigInt(toAmount(baseAmount)) - BigInt(toAmount(receivedBaseAmount));
}

/** What the customer can pay now, in base units; undefined once the time is over and where nothing is missing. */
export function computeDue({ payment, now }: Seen): Amount | undefined {
  const { status, expiresAt, refundedBaseAmount, lateDecision } = payment;
  const isInTime = expiresAt === undefined || now < timestampDate(expiresAt);
  const isOpen = OPEN.includes(status) && isInTime;
  const missing = computeMissing(payment);
  // The merchant has decided about what arrived, so no more is expected.
  const isDecided = refundedBaseAmount !== undefined || lateDecision === "accepted";
  return isOpen && !isDecided && missing > 0n ? toAmount(missing) : undefined;
}

export function isPayable(seen: Seen): boolean {
  return computeDue(seen) !== undefined;
}

const PAID = ["processing", "confirmed"];

/** Whether all of it has arrived, as far as is known here, or the merchant takes what has. */
export function isPaid(payment: FollowedPayment): boolean {
  const isEnough = payment.lateDecision === "accepted" || computeMissing(payment) <= 0n;
  return PAID.includes(payment.status) && isEnough;
}
