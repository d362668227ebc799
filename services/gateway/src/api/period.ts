// The days of a report, both in it.
import { Failure } from "@pay/failures";
import type { z } from "zod";
import * as field from "./fields.ts";

const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 400;
const DAYS_DEFAULT = 30;

export const MONTH = /^20\d\d-(?:0[1-9]|1[0-2])$/;

export const periodFields = {
  from: field
    .day()
    .optional()
    .describe("First day in UTC; 29 days before the last one by default."),
  to: field.day().optional().describe("Last day in UTC; today by default."),
};

export interface Period {
  from: string;
  to: string;
}

type Wanted = z.output<z.ZodObject<typeof periodFields>>;

export function readPeriod(query: Wanted, now: Date): Period {
  const to = query.to ?? toDay(now);
  const from = query.from ?? toDay(new Date(Date.parse(to) - (DAYS_DEFAULT - 1) * DAY_MS));
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > DAYS_MAX) {
    throw new Failure("field_invalid", `from must be at most ${DAYS_MAX - 1} days before to`);
  }
  return { from, to };
}

export function toTimes({ from, to }: Period): { from: Date; to: Date } {
  return { from: new Date(from), to: new Date(Date.parse(to) + DAY_MS) };
}

function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
