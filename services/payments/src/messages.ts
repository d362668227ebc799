import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { planMessages, rowToMessage } from "@pay/database";
import { planEvents } from "@pay/events";
import {
  type Payment as Message,
  PaymentSchema,
  PaymentSnapshotSchema,
  type Step as StepMessage,
  StepSchema,
} from "@pay/proto";
import { type Move, type Payment, TRANSITIONS } from "./domain/payment.ts";
import { getStep, type Step } from "./domain/timeline.ts";

/** Columns that no response and no event has. */
const INTERNAL = {
  secret_version: "internal",
  other_hashes: "internal",
  attempts: "internal",
  reorged_at: "internal",
  seen_sender: "internal",
  needs_hash: "internal",
  needs_turn: "internal",
} as const;

const PAYMENTS = planMessages<typeof PaymentSchema, Payment>(PaymentSchema, {
  ...INTERNAL,
  clientSecret: "unstored",
});

const STEPS = planMessages<typeof StepSchema, Step>(StepSchema, {
  at: "unstored",
  happened_at: "internal",
});

/** Without the client secret, which only the response of a creation has. */
export function toMessage(payment: Payment): Message {
  return rowToMessage(PAYMENTS, payment);
}

export function toStep(step: Step): StepMessage {
  return { ...rowToMessage(STEPS, step), at: timestampFromDate(step.happened_at) };
}

/** The event of a change, with the payment right after it. */
export const toEvent = planEvents<typeof PaymentSnapshotSchema, Payment>(
  PaymentSnapshotSchema,
  INTERNAL,
);

/** The payment after a move, with its step and its event, ready for the statement. */
export function recordMove(move: Move, now: Date, requestId: string) {
  const { payment, trigger } = move;
  const event = toEvent(TRANSITIONS[trigger].event, payment, now, requestId);
  return { payment, step: getStep(move, now), event };
}
