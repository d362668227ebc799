// Changes that merchants and customers make besides submitting hashes.
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
/** Submitted hashes of a payment, in all. */
export const ATTEMPTS_MAX = 5;

/** A failure has a public message. */
export type ChangeResult = ({ kind: "moved" } & Move) | { kind: "unchanged" } | Failure;

const UNCHANGED: ChangeResult = { kind: "unchanged" };

export function cancel(payment: Payment): ChangeResult {
  if (isCancelled(payment)) return UNCHANGED;
  return tryMove(payment, "cancel", { failure_code: CANCELLED });
}

export function isCancelled({ status, failure_code, late_decision }: Payment): boolean {
  return status === "expired" && failure_code === CANCELLED && late_decision !== "accepted";
}

/** An accepted late transfer is verified once more, without the time limit, and then confirms the payment. */
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
    return tryMove(payment, "rejectLate", { late_decision: decision });
  }
  return tryMove(payment, "acceptLate", {
    late_decision: decision,
    tx_hash: lateHash,
    other_hashes: listHashesBesides(payment, lateHash),
    merchant_submitted: true,
    failure_code: LATE,
  });
}

/**
 * The merchant assigns a transfer: it is one more submitted hash while the payment is open. Later it is verified
 * without the time limit and from any wallet, like accepted late money.
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
    ? tryMove(payment, "acceptLate", { ...change, late_decision: "accepted", failure_code: LATE })
    : tryMove(payment, "submit", { ...change, failure_code: null });
}

function isAssigned({ status, merchant_submitted, late_decision }: Payment): boolean {
  if (status === "confirmed" || status === "refunded") return true;
  return merchant_submitted && status === "expired" && late_decision === "accepted";
}

/**
 * A customer may change the wallet until a transaction is being verified. Only a signature replaces a signed wallet.
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
  return tryMove(payment, "declarePayer", change);
}

/** The wallet that sent the transfer signs that it pays this payment. */
function signPayer(payment: Payment, payer: Address, now: Date): ChangeResult {
  const { payer_address, seen_sender } = payment;
  if (payer_address !== null && payer_address !== payer) return PAYER_FIXED;
  if (seen_sender !== null && seen_sender !== payer) return PAYER_NOT_SENDER;
  const signed = { payer_address: payer, payer_declared_at: now, payer_signed_at: now };
  return tryMove(payment, "signPayer", { ...signed, needs: null });
}

/** A payment promises no exchange rate, so a customer may extend its time limit, within a bound. */
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
  return tryMove(payment, "extend", { extensions, expires_at });
}

/**
 * The holder of the client secret must not declare another wallet as the payer of a transfer that is being verified.
 */
export const PAYER_FIXED = new Failure(
  "payer_fixed",
  "payerAddress cannot be changed while a transaction is being verified",
);

/** Only the wallet that sent the transfer may sign, or this one would take away its right to. */
const PAYER_NOT_SENDER = new Failure(
  "payer_fixed",
  "payerAddress is not the wallet that sent the transaction",
);

/** A signature of the wallet counts more than a declaration. */
export const PAYER_SIGNED = new Failure(
  "payer_fixed",
  "payerAddress is signed by its wallet, and only another signature changes it",
);

export function isPayerSigned({ payer_signed_at }: Payment): boolean {
  return payer_signed_at !== null;
}

export function isSeenSender(payment: Payment, payer: Address): boolean {
  return isProcessing(payment) && payment.seen_sender === payer;
}

/** The end of a payment whose time limit is over. */
export function expire(payment: Payment): Move | undefined {
  if (payment.tx_hash === null) return move(payment, "expire", {});
  return payment.reorged_at === null
    ? move(payment, "expire", { failure_code: "not_found" })
    : move(payment, "fail", { failure_code: "reorged" });
}

export function tryMove(payment: Payment, trigger: Trigger, change: Change): ChangeResult {
  const moved = move(payment, trigger, change);
  return moved === undefined ? refuseMove(payment, trigger) : { kind: "moved", ...moved };
}

export function refuseMove({ status }: Payment, trigger: Trigger): Failure {
  const expected = TRANSITIONS[trigger].from.join(", ");
  return new Failure("payment_status_invalid", `Payment is ${status}; expected ${expected}`);
}
