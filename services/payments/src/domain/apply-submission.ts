import { Failure } from "@pay/failures";
import type { Address, TxHash } from "@pay/values";
import { type ChangeResult, decide } from "./change.ts";
import type { Change, Payment, Status, SubmittedHash } from "./payment.ts";
import { listHashes } from "./state.ts";

/** Hashes of a payment; the merchant's word has places of its own. */
const HASHES_MAX = 5;
const HASHES_WITH_MERCHANT_MAX = 10;

export interface Submission {
  txHash: TxHash;
  payer: Address | undefined;
  byMerchant: boolean;
  /** The merchant takes the transaction for the payment. */
  assign: boolean;
}

/**
 * A customer submits a hash before expiresAt only, because later it could belong to another order. The merchant may
 * submit one in every state but confirmed and refunded, and repeat one so that it counts as the merchant's.
 */
export function applySubmission(payment: Payment, submission: Submission, now: Date): ChangeResult {
  const { txHash, byMerchant, assign, payer } = submission;
  const { status, expires_at, tx_hash } = payment;
  const hashes = listHashes(payment);
  const known = hashes.find(({ hash }) => hash === txHash);
  const submitted: SubmittedHash = {
    ...(known ?? { hash: txHash, ...(now > expires_at && { at: now.getTime() }) }),
    ...(byMerchant && { by_merchant: true as const }),
    ...(assign && { assigned: true as const }),
  };
  const isSame =
    known?.by_merchant === submitted.by_merchant && known?.assigned === submitted.assigned;
  if (known !== undefined && isSame) return { kind: "unchanged" };
  // It has paid already, whoever submitted it: the payment may have been found before its hash came.
  if (isPaidStatus(status) && (known !== undefined || tx_hash === txHash)) {
    return { kind: "unchanged" };
  }
  if (status === "confirmed")
    return new Failure("payment_confirmed", "Payment is already confirmed");
  if (status === "refunded")
    return new Failure("payment_status_invalid", "Payment is refunded and takes no transaction");
  if (!byMerchant && (status === "expired" || now > expires_at))
    return new Failure("payment_expired", "Payment is expired");
  const most = byMerchant ? HASHES_WITH_MERCHANT_MAX : HASHES_MAX;
  if (known === undefined && hashes.length >= most)
    return new Failure("payment_attempts_exhausted", "Payment has used all its attempts");
  const isNote = payer !== undefined && payment.payer_signed_at === null;
  const change: Change = {
    hashes: [...hashes.filter((one) => one !== known), submitted],
    ...(isNote && { payer_address: payer }),
  };
  return decide(
    payment,
    change,
    { cause: "submission", trigger: "submitMore", about: { hash: txHash, verdict: null } },
    now,
  );
}

function isPaidStatus(status: Status): boolean {
  return status === "confirmed" || status === "refunded";
}
