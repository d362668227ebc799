import { Failure } from "@pay/failures";
import type { Address, TxHash } from "@pay/values";
import { ATTEMPTS_MAX, isPayerSigned, isSeenSender, PAYER_FIXED, PAYER_SIGNED } from "./change.ts";
import { hasHash, isHashPending, isMerchantSubmitted, isProcessing, submitHash } from "./hashes.ts";
import { type Change, type Move, move, type Payment, TRANSITIONS } from "./payment.ts";

const WAITING = ["created", "pending"];

/** What a submitted hash changes: the payment after it, nothing, or a refusal with a public message. */
export type SubmitResult = ({ kind: "moved" } & Move) | { kind: "unchanged" } | Failure;

/** A hash as it is submitted. */
export interface Submitted {
  txHash: TxHash;
  payer: Address | undefined;
  byMerchant: boolean;
}

/**
 * "In time" for a transfer is when it was mined, but a new hash is taken only before expiresAt: afterwards
 * it could be a payment that the shopper meant for a later order. What another one has named the merchant may name as well,
 * as long as it is under judgement: that it is for this payment is decided by its word.
 */
export function submission(payment: Payment, submitted: Submitted, now: Date): SubmitResult {
  const { txHash, payer, byMerchant } = submitted;
  const { status, attempts } = payment;
  const namesPayer = payer !== undefined && payer !== payment.payer_address;
  const isSender =
    payer !== undefined && isSeenSender(payment, payer) && isHashPending(payment, txHash);
  if (namesPayer && isProcessing(payment) && !isSender) return PAYER_FIXED;
  if (namesPayer && isPayerSigned(payment) && !isSender) return PAYER_SIGNED;
  const isOneMore = !isHashPending(payment, txHash);
  if (!isOneMore && (!byMerchant || isMerchantSubmitted(payment, txHash)))
    return { kind: "unchanged" };
  if (payment.confirmed_at !== null && hasHash(payment, txHash)) return { kind: "unchanged" };
  if (status === "confirmed")
    return new Failure("payment_confirmed", "Payment is already confirmed");
  const expired = now > payment.expires_at;
  if (status === "expired" || (expired && WAITING.includes(status))) {
    return new Failure("payment_expired", "Payment is expired");
  }
  if (isOneMore && attempts >= ATTEMPTS_MAX)
    return new Failure("payment_attempts_exhausted", "Payment has used all its attempts");
  const change: Change = {
    ...submitHash(payment, txHash, byMerchant),
    failure_code: null,
    ...(namesPayer ? { payer_address: payer, payer_declared_at: now } : {}),
  };
  const moved = expired && isOneMore ? undefined : move(payment, "submit", change);
  if (moved !== undefined) return { kind: "moved", ...moved };
  const expected = TRANSITIONS.submit.from.join(", ");
  return new Failure("payment_status_invalid", `Payment is ${status}; expected ${expected}`);
}
