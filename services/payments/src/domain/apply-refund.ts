import type { Amount } from "@pay/values";
import { type Outcome, tryMove } from "./outcome.ts";
import type { Payment } from "./payment.ts";

/** A completed refund of a payment, with the sum of all that went back so far. */
export interface Refunded {
  projectId: string;
  mode: number;
  paymentBaseAmount: Amount;
  refundedBaseAmount: Amount;
}

/**
 * How a completed refund changes its payment. A payment that is refunded already sends an event only for what goes back
 * beyond its amount: the event for the amount itself was sent before, at once where the merchant had declared it.
 */
export function applyRefund(payment: Payment, refunded: Refunded, now: Date): Outcome {
  const { projectId, mode, paymentBaseAmount, refundedBaseAmount } = refunded;
  if (projectId !== payment.project_id) return { kind: "refused", field: "project" };
  if (mode !== payment.mode) return { kind: "refused", field: "mode" };
  const unapplied: Outcome = { kind: "unapplied" };
  if (payment.refunded_at === null && refundedBaseAmount >= paymentBaseAmount) {
    return tryMove(payment, "refund", { refunded_at: now }, unapplied);
  }
  if (payment.refunded_at !== null && refundedBaseAmount <= paymentBaseAmount) {
    return { kind: "known" };
  }
  const isSurplus = payment.status === "refunded";
  return tryMove(payment, isSurplus ? "refundSurplus" : "refundPart", {}, unapplied);
}
