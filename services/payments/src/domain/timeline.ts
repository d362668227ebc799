import { asCreated } from "./new-payment.ts";
import type { Payment } from "./payment.ts";

/** Something that happened to a payment, whether or not it changed the status. */
export interface Step {
  event: string;
  /** Of the payment after it. */
  status: string;
  happened_at: Date;
  /** The failure code that came with it. */
  reason: string | null;
  tx_hash: string | null;
}

/**
 * The whole story of a payment. Its beginning is not recorded, because the payment tells it; neither is what happened
 * before there were records, of which the payment still knows when it was confirmed and refunded.
 */
export const timelineOf = (payment: Payment, recorded: readonly Step[]): Step[] => {
  const { status, created_at } = asCreated(payment);
  const begun = { event: "created", status, happened_at: created_at, reason: null, tx_hash: null };
  const isRecorded = (event: string) => recorded.some((step) => step.event === event);
  const unrecorded = (event: string, at: Date | null): Step[] =>
    at === null || isRecorded(event)
      ? []
      : [{ event, status: event, happened_at: at, reason: null, tx_hash: payment.tx_hash }];
  return [
    begun,
    ...unrecorded("confirmed", payment.confirmed_at),
    ...unrecorded("refunded", payment.refunded_at),
    ...recorded,
  ];
};
