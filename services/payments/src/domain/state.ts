// The state of a payment, derived from its facts: the sums that chains has reported, submitted hashes, times, refunds
// and the decisions of the merchant. The same facts give the same state, in whatever order they have come.
import type { Payment, SenderSum, Status, SubmittedHash } from "./payment.ts";

const HOUR_MS = 60 * 60_000;
/** A hash that no provider knows, and a lost proof, are waited for this long. */
const LOST_AFTER_MS = HOUR_MS;
/** Money in a block is waited for this long, because it may need a review. */
const UNPROVEN_AFTER_MS = 30 * 24 * HOUR_MS;
/** A review after screening ends by a decision alone; the payment is looked at again now and then. */
const REVIEWED_MS = UNPROVEN_AFTER_MS;

export interface State {
  status: Status;
  failureCode: string | null;
  /** When a payment that is processing has waited long enough. */
  dueAt: Date | null;
}

export function deriveState(payment: Payment, now: Date): State {
  if (isScreened(payment)) {
    const dueAt = new Date(Math.max(now.getTime(), payment.expires_at.getTime()) + REVIEWED_MS);
    return isAllBack(payment)
      ? { status: "refunded", failureCode: null, dueAt: null }
      : { status: "processing", failureCode: null, dueAt };
  }
  const dueAt = isPaid(payment) ? null : getDueTime(payment);
  if (dueAt !== null && now <= dueAt) return { status: "processing", failureCode: null, dueAt };
  const [status, failureCode] = isPaid(payment) ? PROVEN : describeEnd(payment, now);
  return { status: isRefunded(payment, status) ? "refunded" : status, failureCode, dueAt: null };
}

type End = readonly [Status, failureCode: string | null];
const PROVEN: End = ["confirmed", null];

/** The state of a payment that is not paid and waits for nothing but its time. */
function describeEnd(payment: Payment, now: Date): End {
  const { cancelled_at, expires_at, reorged_at, needs, status, base_amount: amount } = payment;
  const { received, inTime, late } = getSums(payment);
  const hashes = listHashes(payment);
  const outcome = hashes.findLast(isJudged)?.outcome;
  // The clock of a chain may be ahead of ours, so late money may end a payment early.
  const isOver = now > expires_at || status === "expired";
  const open = isOver ? "expired" : getInitialStatus(payment.variant);
  if (cancelled_at !== null) return ["expired", "cancelled"];
  if (late > 0n && (inTime === 0n || received >= amount)) return ["expired", "late"];
  if (reorged_at !== null) return ["failed", "reorged"];
  if (isInBlock(payment)) return ["expired", "not_found"];
  if (received > 0n && outcome !== undefined) return ["failed", "underpaid"];
  if (received > 0n) return [open, isOver ? "underpaid" : null];
  if (outcome === "late") return ["expired", "late"];
  if (outcome !== undefined) return ["failed", outcome === "counted" ? "reorged" : outcome];
  if (needs === "payer_signature" && hashes.length > 0) return ["failed", "ambiguous"];
  if (needs === "payer_signature") return [open, isOver ? "ambiguous" : null];
  if (hashes.length > 0) return ["expired", "not_found"];
  return [open, null];
}

/** Whether the sum that is due, or the accepted one, is proven. */
export function isPaid(payment: Payment): boolean {
  const { final, finalInTime } = getSums(payment);
  return isEnough(payment, { total: final, inTime: finalInTime });
}

/** Whether that sum is in a block, proven or not. */
export function isInBlock(payment: Payment): boolean {
  const { received, inTime } = getSums(payment);
  return isEnough(payment, { total: received, inTime });
}

function isEnough(payment: Payment, { total, inTime }: { total: bigint; inTime: bigint }): boolean {
  const { cancelled_at, base_amount, accepted_base_amount: accepted } = payment;
  if (accepted !== null && total >= accepted) return true;
  return cancelled_at === null && inTime - getUnusable(payment) >= base_amount;
}

/** Returned money and that of screened wallets; what is returned was theirs first. */
function getUnusable(payment: Payment): bigint {
  const returned = getReturned(payment);
  const screened = getScreened(payment);
  return screened > returned ? screened : returned;
}

/** A payment that was confirmed before stays so, whatever comes then. */
function getScreened({ confirmed_at, screened_base_amount }: Payment): bigint {
  return confirmed_at === null ? (screened_base_amount ?? 0n) : 0n;
}

/** Whether enough is in a block, and only a person can say that money of screened wallets counts. */
export function isScreened(payment: Payment): boolean {
  const { cancelled_at, base_amount, late_decision, accepted_base_amount } = payment;
  if (cancelled_at !== null || getScreened(payment) === 0n) return false;
  if (late_decision === "accepted" || accepted_base_amount !== null) return false;
  return getSums(payment).inTime >= base_amount && !isInBlock(payment);
}

/** Refunds before the first confirmation lower the sum, or a part, its refund and the rest would pay. */
function getReturned(payment: Payment): bigint {
  const { confirmed_at, reorged_at, reserved_base_amount } = payment;
  return confirmed_at === null && reorged_at === null ? (reserved_base_amount ?? 0n) : 0n;
}

/** Of a paid payment the amount is back, or all that came; of another one all that came. */
function isRefunded(payment: Payment, status: Status): boolean {
  const { base_amount, accepted_base_amount, refund_declared } = payment;
  const refunded = payment.refunded_base_amount ?? 0n;
  const isOver = isAllBack(payment);
  if (status !== "confirmed") return isOver && (status === "failed" || status === "expired");
  const due =
    accepted_base_amount !== null && accepted_base_amount < base_amount
      ? accepted_base_amount
      : base_amount;
  return (
    refund_declared || isOver || refunded - (payment.surplus_refunded_base_amount ?? 0n) >= due
  );
}

function isAllBack(payment: Payment): boolean {
  const refunded = payment.refunded_base_amount ?? 0n;
  return refunded > 0n && refunded >= getSums(payment).received;
}

/** The end of the longest of all that an unpaid payment waits for; null for nothing. */
function getDueTime(payment: Payment): Date | null {
  const { cancelled_at, accepted_base_amount, expires_at, reorged_at, needs } = payment;
  if (cancelled_at !== null && accepted_base_amount === null) return null;
  const ends = listHashes(payment).flatMap((one) => {
    if (isJudged(one)) return [];
    const isReviewed = one.mined === true && needs !== "payer_signature";
    const since = Math.max(one.at ?? 0, expires_at.getTime());
    return [since + (isReviewed ? UNPROVEN_AFTER_MS : LOST_AFTER_MS)];
  });
  if (isInBlock(payment)) ends.push(expires_at.getTime() + UNPROVEN_AFTER_MS);
  if (reorged_at !== null) ends.push(reorged_at.getTime() + LOST_AFTER_MS);
  return ends.length === 0 ? null : new Date(Math.max(...ends));
}

/** A hash that was not found may still be. */
export function isJudged({ outcome }: SubmittedHash): boolean {
  return outcome !== undefined && outcome !== "not_found";
}

export function listHashes({ hashes }: Payment): readonly SubmittedHash[] {
  return hashes ?? [];
}

/** The wallets whose money is proven. */
export function listSenders(payment: Payment): readonly SenderSum[] {
  const { senders, sender_address, final_base_amount } = payment;
  if (senders !== null) return senders;
  if (sender_address === null || final_base_amount === null) return [];
  return [{ address: sender_address, base_amount: `${final_base_amount}` }];
}

function getSums(payment: Payment) {
  const received = payment.received_base_amount ?? 0n;
  const final = payment.final_base_amount ?? 0n;
  const late = payment.late_base_amount ?? 0n;
  const finalInTime = final - (payment.late_final_base_amount ?? 0n);
  return { received, final, late, inTime: received - late, finalInTime };
}

const INITIAL: Record<number, Status> = { 1: "created", 2: "pending" };
/** By the number of the variant in the protos. */
export function getInitialStatus(variant: number): Status {
  return INITIAL[variant] ?? "created";
}
