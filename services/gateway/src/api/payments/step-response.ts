import { TIMELINE_STEPS, type TimelineStep } from "@pay/events";
import type { Step } from "@pay/proto";
import * as shown from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

export const PAYMENT_STATUSES = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
] as const;

const EVENTS = Object.keys(TIMELINE_STEPS) as TimelineStep[];

const FIELDS = {
  event: { schema: shown.choice(EVENTS, "Name of the step."), of: (step) => step.event },
  status: {
    schema: shown.choice(PAYMENT_STATUSES, "Status of the payment after the step."),
    of: (step) => step.status,
  },
  at: { schema: shown.time("Time of the step."), of: (step) => shown.isoTime(step.at) },
  reason: {
    schema: shown.stringOrNull("Failure code of the step; null without one."),
    of: (step) => step.reason ?? null,
  },
  txHash: { schema: shown.txHash, of: (step) => step.txHash ?? null },
} satisfies MessageFields<Step>;

const NAMES = listNames(FIELDS);

export const stepShape = buildShape("PaymentTimeline", FIELDS, NAMES);
export function renderStep(step: Step) {
  return pick(FIELDS, NAMES, step);
}
