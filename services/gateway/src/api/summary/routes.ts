import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import { periodFields, readPeriod } from "../period.ts";
import { renderSummary, summaryShape } from "./response.ts";

export const readSummaryRoute = route({
  auth: "secret",
  scope: "payments:read",
  tag: "Payments",
  limit: "standard",
  summary: "Read what was started, paid, received and refunded, by day and currency",
  query: z.object(periodFields),
  response: summaryShape,
  success: 200,
  handle: async ({ query, services }, { clock }) => {
    const period = readPeriod(query, clock.now());
    return renderSummary(period, await services.payments.listPaymentSums(period));
  },
});
