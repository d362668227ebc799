import { asCreated } from "./new-payment.ts";
import type { Payment } from "./payment.ts";

/** Something that happened to a payment, whether or not it changed the status. */
export interface Step {
  event: string;
  /** The payment's status after it. */
  status: string;
  happened_at: Date;
  /** The failure code, if it has one. */
  reason: string | null;
  tx_hash: string | null;
}

/**
 * All steps of a payment. Its creation is not recorded, because the payment's own row has it; neither is a step from
 * before steps were recorded, of which the row still has when it was confirmed and refunded.
 */
export function buildTimeline(payment: Payment, recorded: readonly Step[]): Step[] {
  const { status, created_at } = asCreated(payment);
  const begun = { event: "created", status, happened_at: created_at, reason: null, tx_hash: null };
  function isRecorded(event: string) {
    return recorded.some((step) => step.event === event);
  }

  function unrecorded(event: string, at: Date | null): Step[] {
    return at === null || isRecorded(event)
      ? []
      : [{ event, status: event, happened_at: at, reason: null, tx_hash: payment.tx_hash }];
  }

  return [
    begun,
    ...unrecorded("confirmed", payment.confirmed_at),
    ...unrecorded("refunded", payment.refunded_at),
    ...recorded,
  ];
}
