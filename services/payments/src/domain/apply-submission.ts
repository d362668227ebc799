import { Failure } from "@pay/failures";
import type { Address, TxHash } from "@pay/values";
import {
  ATTEMPTS_MAX,
  type ChangeResult,
  isPayerSigned,
  isSeenSender,
  PAYER_FIXED,
  PAYER_SIGNED,
  refuseMove,
  tryMove,
} from "./change.ts";
import { hasHash, isHashPending, isMerchantSubmitted, isProcessing, submitHash } from "./hashes.ts";
import type { Change, Payment } from "./payment.ts";

const WAITING = ["created", "pending"];

export interface SubmittedHash {
  txHash: TxHash;
  payer: Address | undefined;
  byMerchant: boolean;
}

/**
 * A new hash is taken only before expiresAt, because later it could belong to another order of the customer. The
 * merchant may repeat a hash that is being verified, and then it counts as the merchant's.
 */
export function applySubmission(
  payment: Payment,
  submitted: SubmittedHash,
  now: Date,
): ChangeResult {
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
  return expired && isOneMore ? refuseMove(payment, "submit") : tryMove(payment, "submit", change);
}
