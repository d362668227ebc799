import type { TimelineStep } from "@pay/events";
import { asCreated } from "./new-payment.ts";
import { type Move, type Payment, type RecordedStep, type Status, TRANSITIONS } from "./payment.ts";

/** A change of a payment, whether or not it changed the status. */
export interface Step<Event extends TimelineStep = TimelineStep> {
  event: Event;
  /** The status after it. */
  status: Status;
  happened_at: Date;
  /** Id of the key or of the member; null where the chain, the time or a shopper made the change. */
  made_by: string | null;
  /** The failure code, if it has one. */
  reason: string | null;
  /** Null in a new step: it is about the hash of the payment. */
  tx_hash: string | null;
}

export type NewStep = Step<RecordedStep>;

/** The steps that a move adds, oldest first. */
export function getSteps(
  { trigger, payment, about, before }: Move,
  now: Date,
  madeBy: string | null,
): NewStep[] {
  const { step } = TRANSITIONS[trigger];
  const { status } = payment;
  const plain = { status, happened_at: now, made_by: madeBy, tx_hash: null };
  const first: NewStep[] = before === undefined ? [] : [{ ...plain, event: before, reason: null }];
  if (step === null) return first;
  const { verdict: reason, hash } = about ?? { verdict: payment.failure_code, hash: null };
  return [...first, { ...plain, event: step, reason, tx_hash: hash }];
}

/** All steps of a payment, beginning with its creation, which is not stored. */
export function buildTimeline(payment: Payment, stored: readonly Step[]): Step[] {
  const { status, created_at, requested_by } = asCreated(payment);
  const creation = { happened_at: created_at, made_by: requested_by, reason: null, tx_hash: null };
  return [{ event: "created", status, ...creation }, ...stored];
}
