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

export type ShownStep = Omit<Step, "madeBy"> & Partial<Pick<Step, "madeBy">>;

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
  madeBy: {
    schema: shown.stringOrNull("Id of the key or member that made the step; null for others."),
    of: (step) => step.madeBy ?? null,
  },
  txHash: { schema: shown.txHash, of: (step) => step.txHash ?? null },
} satisfies MessageFields<ShownStep>;

const NAMES = listNames(FIELDS);

export const stepShape = buildShape("PaymentTimeline", FIELDS, NAMES);
export function renderStep(step: ShownStep) {
  return pick(FIELDS, NAMES, step);
}
