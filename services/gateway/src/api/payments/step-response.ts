import { TIMELINE_STEPS, type TimelineStep } from "@pay/events";
import type { Step } from "@pay/proto";
import { z } from "zod";
import { isoTime, isoTimeShape } from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import { PAYMENT_STATUSES } from "./statuses.ts";

const EVENTS = Object.keys(TIMELINE_STEPS) as TimelineStep[];

const FIELDS = {
  event: { schema: z.enum(EVENTS), of: (step) => step.event },
  status: { schema: z.enum(PAYMENT_STATUSES), of: (step) => step.status },
  at: { schema: isoTimeShape, of: (step) => isoTime(step.at) },
  reason: { schema: z.string().nullable(), of: (step) => step.reason ?? null },
  txHash: { schema: z.string().nullable(), of: (step) => step.txHash ?? null },
} satisfies MessageFields<Step>;

const NAMES = listNames(FIELDS);

export const stepShape = buildShape(FIELDS, NAMES);
export function renderStep(step: Step) {
  return pick(FIELDS, NAMES, step);
}
