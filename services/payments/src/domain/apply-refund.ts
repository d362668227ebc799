import type { Amount } from "@pay/values";
import { type Outcome, tryMove } from "./outcome.ts";
import type { Payment } from "./payment.ts";

/** A completed refund, with the sum of all refunds of the payment so far. */
export interface CompletedRefund {
  projectId: string;
  mode: number;
  paymentBaseAmount: Amount;
  refundedBaseAmount: Amount;
}

/**
 * A refunded payment publishes an event only for a refund beyond its amount, because that of the amount was
 * published.
 */
export function applyRefund(payment: Payment, refund: CompletedRefund, now: Date): Outcome {
  const { projectId, mode, paymentBaseAmount, refundedBaseAmount } = refund;
  if (projectId !== payment.project_id) return { kind: "mismatch", field: "project" };
  if (mode !== payment.mode) return { kind: "mismatch", field: "mode" };
  const unapplied: Outcome = { kind: "unapplied" };
  if (payment.refunded_at === null && refundedBaseAmount >= paymentBaseAmount) {
    return tryMove(payment, "refund", { refunded_at: now }, unapplied);
  }
  if (payment.refunded_at !== null && refundedBaseAmount <= paymentBaseAmount) {
    return { kind: "unchanged" };
  }
  const isSurplus = payment.status === "refunded";
  return tryMove(payment, isSurplus ? "refundSurplus" : "refundPart", {}, unapplied);
}
