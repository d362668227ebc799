import type { Amount } from "@pay/values";
import { type Finding, finding } from "./finding.ts";
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
export function refundFinding(payment: Payment, refunded: Refunded, now: Date): Finding {
  const { projectId, mode, paymentBaseAmount, refundedBaseAmount } = refunded;
  if (projectId !== payment.project_id) return { kind: "refused", field: "project" };
  if (mode !== payment.mode) return { kind: "refused", field: "mode" };
  const unapplied: Finding = { kind: "unapplied" };
  if (payment.refunded_at === null && refundedBaseAmount >= paymentBaseAmount) {
    return finding(payment, "refund", { refunded_at: now }, unapplied);
  }
  if (payment.refunded_at !== null && refundedBaseAmount <= paymentBaseAmount) {
    return { kind: "known" };
  }
  const isSurplus = payment.status === "refunded";
  return finding(payment, isSurplus ? "refundSurplus" : "refundPart", {}, unapplied);
}
