import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { messageOf, planMessages } from "@pay/database";
import { type EventType, type OutboxRow, outboxRow } from "@pay/events";
import {
  type Payment as Message,
  PaymentSchema,
  type Step as StepMessage,
  StepSchema,
} from "@pay/proto";
import type { Payment } from "./domain/payment.ts";
import type { Step } from "./domain/timeline.ts";

const PAYMENTS = planMessages<typeof PaymentSchema, Payment>(PaymentSchema, {
  clientSecret: "unstored",
  secret_version: "internal",
  other_hashes: "internal",
  attempts: "internal",
  reorged_at: "internal",
  seen_sender: "internal",
  needs_hash: "internal",
  needs_turn: "internal",
});

const STEPS = planMessages<typeof StepSchema, Step>(StepSchema, {
  at: "unstored",
  happened_at: "internal",
});

/** A payment as other services see it. Never with a client secret: that is added to the answer of a creation. */
export function toMessage(payment: Payment): Message {
  return messageOf(PAYMENTS, payment);
}

export function toStep(step: Step): StepMessage {
  return { ...messageOf(STEPS, step), at: timestampFromDate(step.happened_at) };
}

/** The event of a change, ready for the outbox, with the payment as it is right after the change. */
export function toEvent(
  type: EventType,
  payment: Payment,
  occurredAt: Date,
  requestId: string,
): OutboxRow {
  return outboxRow({
    type,
    projectId: payment.project_id,
    mode: payment.mode,
    resourceId: payment.id,
    sequence: payment.version,
    occurredAt: timestampFromDate(occurredAt),
    requestId,
    resource: { case: "payment", value: toMessage(payment) },
  });
}
