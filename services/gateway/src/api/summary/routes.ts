import { Failure } from "@pay/failures";
import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import * as field from "../fields.ts";
import { renderSummary, summaryShape } from "./response.ts";

const DAY_MS = 24 * 3_600_000;
const DAYS_MAX = 400;
const DAYS_DEFAULT = 30;

const period = z.object({
  from: field
    .day()
    .optional()
    .describe("First day in UTC; 29 days before the last one by default."),
  to: field.day().optional().describe("Last day in UTC; today by default."),
});

export const readSummaryRoute = route({
  auth: "secret",
  scope: "payments:read",
  tag: "Payments",
  limit: "standard",
  summary: "Read what was started, paid, received and refunded, by day and currency",
  query: period,
  response: summaryShape,
  success: 200,
  handle: async ({ query, services }, { clock }) => {
    const to = query.to ?? toDay(clock.now());
    const from = query.from ?? toDay(new Date(Date.parse(to) - (DAYS_DEFAULT - 1) * DAY_MS));
    const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
    if (days < 1 || days > DAYS_MAX) {
      throw new Failure("field_invalid", `from must be at most ${DAYS_MAX - 1} days before to`);
    }
    const { sums } = await services.payments.listPaymentSums({ from, to });
    return renderSummary({ from, to }, sums);
  },
});

function toDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
