import type { Step } from "@pay/proto";
import { z } from "zod";
import { PAYMENT_STATUSES } from "./payment-statuses.ts";
import { isoTime, isoTimeShape, pick, shapeOf } from "./shape.ts";

const EVENTS = [
  "created",
  "transaction_submitted",
  "confirmed",
  "failed",
  "expired",
  "paid_late",
  "refunded_in_part",
  "refunded",
] as const;

const FIELDS = {
  event: { schema: z.enum(EVENTS), of: (step: Step) => step.event },
  status: { schema: z.enum(PAYMENT_STATUSES), of: (step: Step) => step.status },
  at: { schema: isoTimeShape, of: (step: Step) => isoTime(step.at) },
  reason: { schema: z.string().nullable(), of: (step: Step) => step.reason ?? null },
  txHash: { schema: z.string().nullable(), of: (step: Step) => step.txHash ?? null },
};

const NAMES = Object.keys(FIELDS);

export const stepShape = shapeOf(FIELDS, NAMES);
export const renderStep = (step: Step) => pick(FIELDS, NAMES, step);
