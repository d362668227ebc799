// Keeps the sums of a payment's refunds, whatever its status is.
import { type Amount, toAmount } from "@pay/values";
import type { Outcome } from "./apply-money.ts";
import { decideMove } from "./decide-move.ts";
import type { Change, Payment, Trigger } from "./payment.ts";

export const REFUND_TYPES = [
  "refund.created",
  "refund.completed",
  "refund.failed",
  "refund.reorged",
] as const;
export type RefundType = (typeof REFUND_TYPES)[number];

export function isRefundType(type: string): type is RefundType {
  return REFUND_TYPES.some((one) => one === type);
}

/** A change of one refund, with the sums of all refunds of the payment after it. */
export interface RefundChange {
  type: RefundType;
  projectId: string;
  mode: number;
  refunded: Amount;
  /** Of the refunded sum: what gives back more than the amount. */
  surplusRefunded: Amount;
  /** Of the refunds that are not failed. */
  reserved: Amount;
  /** The merchant takes back that the payment is refunded. */
  isDeclarationVoid: boolean;
}

export function applyRefund(payment: Payment, refund: RefundChange, now: Date): Outcome {
  if (refund.projectId !== payment.project_id) return { kind: "mismatch", field: "project" };
  if (refund.mode !== payment.mode) return { kind: "mismatch", field: "mode" };
  const isClosing = refund.refunded > 0n && payment.confirmed_at === null;
  const change: Change = {
    closed_at: payment.closed_at ?? (isClosing ? now : null),
    refunded_base_amount: orNull(refund.refunded),
    surplus_refunded_base_amount: orNull(refund.surplusRefunded),
    reserved_base_amount: orNull(refund.reserved),
    refund_declared: payment.refund_declared && !refund.isDeclarationVoid,
  };
  if (isSame(payment, change)) return { kind: "unchanged" };
  const trigger = chooseTrigger(payment, { ...payment, ...change });
  const moved = decideMove(payment, change, { cause: "refund", trigger }, now);
  return moved === undefined ? { kind: "unapplied" } : { kind: "moved", ...moved };
}

function orNull(amount: Amount): Amount | null {
  return amount === 0n ? null : toAmount(amount);
}

function isSame(payment: Payment, change: Change): boolean {
  return (Object.keys(change) as (keyof Change)[]).every((name) => payment[name] === change[name]);
}

/** The move where the status stays. A declared refund was published when it was declared. */
function chooseTrigger(before: Payment, after: Payment): Trigger {
  const refunded = after.refunded_base_amount ?? 0n;
  const grown = refunded - (before.refunded_base_amount ?? 0n);
  if (grown < 0n) return "undoRefundPart";
  if (grown === 0n) return "change";
  if (before.status !== "refunded") return "refundPart";
  return after.refund_declared && refunded <= after.base_amount ? "change" : "refundSurplus";
}
