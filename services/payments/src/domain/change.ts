// What merchants and shoppers change of a payment besides its transactions.
import { Failure } from "@pay/failures";
import { type Address, EXTENSIONS_MAX, type TxHash } from "@pay/values";
import {
  isHashPending,
  isMerchantSubmitted,
  isProcessing,
  listHashesBesides,
  submitHash,
} from "./hashes.ts";
import { lifetimeMs } from "./new-payment.ts";
import {
  type Change,
  type Move,
  move,
  type Payment,
  TRANSITIONS,
  type Trigger,
} from "./payment.ts";

const CANCELLED = "cancelled";
export const LATE = "late";
/** Hashes that a payment may be given in all. */
export const ATTEMPTS_MAX = 5;

/** The payment after the change, or nothing where it is made already, or a refusal with a public message. */
export type ChangeResult = ({ kind: "moved" } & Move) | { kind: "unchanged" } | Failure;

const UNCHANGED: ChangeResult = { kind: "unchanged" };

export function cancel(payment: Payment): ChangeResult {
  if (isCancelled(payment)) return UNCHANGED;
  return changed(payment, "cancel", { failure_code: CANCELLED });
}

export function isCancelled({ status, failure_code, late_decision }: Payment): boolean {
  return status === "expired" && failure_code === CANCELLED && late_decision !== "accepted";
}

/**
 * The merchant decides about money that came after the expiry. What is accepted is verified once more, without the bound of
 * time, so that it pays nothing else, and confirms the payment then.
 */
export function resolve(
  payment: Payment,
  { accept, lateHash }: { accept: boolean; lateHash: string | undefined },
): ChangeResult {
  const decision = accept ? "accepted" : "rejected";
  if (payment.late_decision === decision) return UNCHANGED;
  if (payment.status === "expired" && lateHash === undefined) {
    return new Failure("late_transfer_missing", "Payment has no late transfer to resolve");
  }
  if (payment.late_decision === "accepted") {
    return new Failure("late_transfer_accepted", "The late transfer of the payment is accepted");
  }
  if (!accept || lateHash === undefined) {
    return changed(payment, "rejectLate", { late_decision: decision });
  }
  return changed(payment, "acceptLate", {
    late_decision: decision,
    tx_hash: lateHash,
    other_hashes: listHashesBesides(payment, lateHash),
    merchant_submitted: true,
    failure_code: LATE,
  });
}

/**
 * The merchant says which payment a transfer is for. While the payment may be paid, its transaction is one more submitted
 * hash. Later it is verified without the bound of time and from any wallet, like accepted late money.
 */
export function assign(payment: Payment, txHash: TxHash, now: Date): ChangeResult {
  const isOneMore = !isHashPending(payment, txHash);
  if (!isOneMore && isMerchantSubmitted(payment, txHash)) return UNCHANGED;
  if (payment.tx_hash === txHash && isAssigned(payment)) return UNCHANGED;
  if (payment.status === "confirmed") {
    return new Failure("payment_confirmed", "Payment is already confirmed");
  }
  if (isOneMore && payment.attempts >= ATTEMPTS_MAX) {
    return new Failure("payment_attempts_exhausted", "Payment has used all its attempts");
  }
  const isOver =
    payment.status === "expired" || (payment.status === "failed" && now > payment.expires_at);
  const change: Change = submitHash(payment, txHash, true);
  return isOver
    ? changed(payment, "acceptLate", { ...change, late_decision: "accepted", failure_code: LATE })
    : changed(payment, "submit", { ...change, failure_code: null });
}

function isAssigned({ status, merchant_submitted, late_decision }: Payment): boolean {
  if (status === "confirmed" || status === "refunded") return true;
  return merchant_submitted && status === "expired" && late_decision === "accepted";
}

/**
 * Until a transaction is under way a shopper may change the wallet; afterwards only what is known already is repeated. What
 * a wallet has signed is changed by another signature only.
 */
export function declare(
  payment: Payment,
  { payer, isSigned }: { payer: Address; isSigned: boolean },
  now: Date,
): ChangeResult {
  const isNamed = payment.payer_address === payer && (!isSigned || isPayerSigned(payment));
  if (isNamed) return UNCHANGED;
  if (isSigned && payment.needs === "payer_signature") return signPayer(payment, payer, now);
  if (isSeenSender(payment, payer)) return UNCHANGED;
  if (isProcessing(payment)) return PAYER_FIXED;
  if (isPayerSigned(payment) && !isSigned) return PAYER_SIGNED;
  if (payment.status === "expired" || now > payment.expires_at) {
    return new Failure("payment_expired", "Payment is expired");
  }
  const payer_signed_at = isSigned ? now : null;
  const change = { payer_address: payer, payer_declared_at: now, payer_signed_at };
  return changed(payment, "declarePayer", change);
}

/** The wallet that sent the transfer signs that it was for this payment. */
function signPayer(payment: Payment, payer: Address, now: Date): ChangeResult {
  const { payer_address, seen_sender } = payment;
  if (payer_address !== null && payer_address !== payer) return PAYER_FIXED;
  if (seen_sender !== null && seen_sender !== payer) return PAYER_NOT_SENDER;
  const signed = { payer_address: payer, payer_declared_at: now, payer_signed_at: now };
  return changed(payment, "signPayer", { ...signed, needs: null });
}

/** A payment promises nothing that ends, such as an exchange rate, so a shopper may extend its time, within a bound. */
export function extend(payment: Payment, now: Date): ChangeResult {
  if (payment.status === "expired" || now > payment.expires_at) {
    return new Failure("payment_expired", "Payment is expired");
  }
  const extensions = (payment.extensions ?? 0) + 1;
  if (extensions > EXTENSIONS_MAX) {
    const most = `Payment has been extended ${EXTENSIONS_MAX} times`;
    return new Failure("payment_extensions_exhausted", most);
  }
  const expires_at = new Date(payment.expires_at.getTime() + lifetimeMs(payment));
  return changed(payment, "extend", { extensions, expires_at });
}

/** The holder of the client secret must not name another wallet as the payer of money that is under way. */
export const PAYER_FIXED = new Failure(
  "payer_fixed",
  "payerAddress cannot be changed while a transaction is being verified",
);

/** Another wallet sent the transfer. Its signature alone counts: this one would take the payer's right to sign away. */
const PAYER_NOT_SENDER = new Failure(
  "payer_fixed",
  "payerAddress is not the wallet that sent the transaction",
);

/** A signature of the wallet counts more than what the holder of the client secret says. */
export const PAYER_SIGNED = new Failure(
  "payer_fixed",
  "payerAddress is signed by its wallet, and only another signature changes it",
);

export function isPayerSigned({ payer_signed_at }: Payment): boolean {
  return payer_signed_at !== null;
}

/** Whether the wallet has sent the transfer that was found for the payment. */
export function isSeenSender(payment: Payment, payer: Address): boolean {
  return isProcessing(payment) && payment.seen_sender === payer;
}

function changed(payment: Payment, trigger: Trigger, change: Change): ChangeResult {
  const moved = move(payment, trigger, change);
  if (moved !== undefined) return { kind: "moved", ...moved };
  const expected = TRANSITIONS[trigger].from.join(", ");
  return new Failure(
    "payment_status_invalid",
    `Payment is ${payment.status}; expected ${expected}`,
  );
}
