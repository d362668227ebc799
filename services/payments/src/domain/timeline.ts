import type { TimelineStep } from "@pay/events";
import { asCreated } from "./new-payment.ts";
import { type Move, type Payment, type RecordedStep, type Status, TRANSITIONS } from "./payment.ts";

/** A change of a payment, whether or not it changed the status. */
export interface Step<Event extends TimelineStep = TimelineStep> {
  event: Event;
  /** The status after it. */
  status: Status;
  happened_at: Date;
  /** The failure code, if it has one. */
  reason: string | null;
  /** Null in a new step: it is about the hash of the payment. */
  tx_hash: string | null;
}

export type NewStep = Step<RecordedStep>;

/** The step that a move adds; undefined for none. */
export function getStep({ trigger, payment, about }: Move, now: Date): NewStep | undefined {
  const { step: event } = TRANSITIONS[trigger];
  if (event === null) return undefined;
  const { verdict: reason, hash } = about ?? { verdict: payment.failure_code, hash: null };
  return { event, status: payment.status, happened_at: now, reason, tx_hash: hash };
}

/** All steps of a payment, beginning with its creation, which is not stored. */
export function buildTimeline(payment: Payment, stored: readonly Step[]): Step[] {
  const { status, created_at } = asCreated(payment);
  return [
    { event: "created", status, happened_at: created_at, reason: null, tx_hash: null },
    ...stored,
  ];
}
