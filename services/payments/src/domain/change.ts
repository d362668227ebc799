// Changes that merchants and customers make besides submitting hashes.
import { Failure } from "@pay/failures";
import { type Address, EXTENSIONS_MAX } from "@pay/values";
import { decideMove, type Reason } from "./decide-move.ts";
import { lifetimeMs } from "./new-payment.ts";
import {
  ACCEPTED_STEP,
  type Change,
  type Move,
  type Payment,
  type Status,
  TRANSITIONS,
  type Trigger,
} from "./payment.ts";
import { isScreened } from "./state.ts";

/** A failure has a public message. */
export type ChangeResult = ({ kind: "moved" } & Move) | { kind: "unchanged" } | Failure;

const UNCHANGED: ChangeResult = { kind: "unchanged" };

export function decide(payment: Payment, change: Change, reason: Reason, now: Date): ChangeResult {
  const moved = decideMove(payment, change, reason, now);
  if (moved !== undefined) return { kind: "moved", ...moved };
  return refuse(payment, reason.trigger === undefined ? [] : TRANSITIONS[reason.trigger].from);
}

/** A change that only some states take. */
function decideFrom(payment: Payment, trigger: Trigger, change: Change, now: Date): ChangeResult {
  const { from }: { from: readonly Status[] } = TRANSITIONS[trigger];
  if (!from.includes(payment.status)) return refuse(payment, from);
  return decide(payment, change, { cause: "decision", trigger }, now);
}

function refuse({ status }: Payment, from: readonly Status[]): Failure {
  return new Failure("payment_status_invalid", `Payment is ${status}; expected ${from.join(", ")}`);
}

export function cancel(payment: Payment, now: Date): ChangeResult {
  if (payment.status === "expired" && payment.cancelled_at !== null) return UNCHANGED;
  return decideFrom(payment, "cancel", { cancelled_at: now }, now);
}

const ACCEPTING: readonly Status[] = ["created", "pending", "failed", "expired"];

/**
 * The merchant takes what has come for the payment, or does not. An accepted sum confirms the payment as soon as it is
 * proven.
 */
export function resolve(payment: Payment, isAccepted: boolean, now: Date): ChangeResult {
  const { status, late_decision, received_base_amount } = payment;
  if (late_decision === (isAccepted ? "accepted" : "rejected")) return UNCHANGED;
  if (late_decision === "accepted") {
    return new Failure("late_transfer_accepted", "The late transfer of the payment is accepted");
  }
  if (!isAccepted) {
    if (status === "expired" && received_base_amount === null) return NOTHING_RECEIVED;
    return decideFrom(payment, "rejectMoney", { late_decision: "rejected" }, now);
  }
  if (!ACCEPTING.includes(status) && !isScreened(payment)) return refuse(payment, ACCEPTING);
  if (received_base_amount === null) return NOTHING_RECEIVED;
  const change: Change = {
    late_decision: "accepted",
    accepted_base_amount: received_base_amount,
    closed_at: payment.closed_at ?? now,
  };
  return decide(payment, change, { cause: "decision", before: ACCEPTED_STEP }, now);
}

const NOTHING_RECEIVED = new Failure(
  "late_transfer_missing",
  "Payment has no late transfer to resolve",
);

/**
 * A payer without a signature is a note. A signature may come at any time before the confirmation, because it decides
 * whose transfer counts.
 */
export function declare(
  payment: Payment,
  { payer, isSigned }: { payer: Address; isSigned: boolean },
  now: Date,
): ChangeResult {
  const { payer_address, payer_signed_at, status, expires_at } = payment;
  const isNamed = payer_address === payer && (!isSigned || payer_signed_at !== null);
  if (isNamed) return UNCHANGED;
  if (!isSigned && payer_signed_at !== null) return PAYER_SIGNED;
  if (!isSigned && (status === "expired" || now > expires_at)) {
    return new Failure("payment_expired", "Payment is expired");
  }
  if (isSigned && isOtherSender(payment, payer)) return PAYER_NOT_SENDER;
  if (isSigned && payer_signed_at !== null && payment.received_base_amount !== null)
    return PAYER_FIXED;
  const change: Change = { payer_address: payer, payer_signed_at: isSigned ? now : null };
  return decideFrom(payment, "declarePayer", change, now);
}

/** Whether a signature is needed, and other wallets have sent what needs it. */
function isOtherSender({ needs, arrived }: Payment, payer: Address): boolean {
  if (needs !== "payer_signature" || arrived === null) return false;
  return arrived.every(({ sender_address }) => sender_address !== payer);
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
  return decideFrom(payment, "extend", { extensions, expires_at }, now);
}

export function canDeclareRefund({ status }: Payment): boolean {
  return status === "confirmed";
}

/** The merchant declares the payment refunded. */
export function declareRefund(payment: Payment, now: Date): ChangeResult {
  if (!canDeclareRefund(payment)) {
    return new Failure("payment_not_refundable", "Only confirmed payments can be refunded");
  }
  return decideFrom(payment, "refund", { refund_declared: true }, now);
}

/** The end of a payment whose time is over. */
export function passTime(payment: Payment, now: Date): Move | undefined {
  return decideMove(payment, {}, { cause: "time" }, now);
}

/** The holder of the client secret must not take the wallet away whose money counts. */
const PAYER_FIXED = new Failure(
  "payer_fixed",
  "payerAddress cannot be changed once its transfer has arrived",
);

/** Only the wallet that sent the transfer may sign, or this one would take away its right to. */
const PAYER_NOT_SENDER = new Failure(
  "payer_fixed",
  "payerAddress is not the wallet that sent the transaction",
);

/** A signature of the wallet counts more than a declaration. */
const PAYER_SIGNED = new Failure(
  "payer_fixed",
  "payerAddress is signed by its wallet, and only another signature changes it",
);
