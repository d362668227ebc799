import { z } from "zod";
import * as field from "../fields.ts";

export const transferFilters = z.object({
  ...field.pageFields("tr"),
  unmatched: field.queryFlag().optional(),
  chainId: field.queryInteger(Number.MAX_SAFE_INTEGER, "be a positive integer").optional(),
});

export const assignment = z
  .object({
    paymentId: field.reference(128).optional(),
    refundId: field.reference(128).optional(),
  })
  .refine(({ paymentId, refundId }) => (paymentId === undefined) !== (refundId === undefined), {
    path: ["paymentId"],
    error: "or refundId must be given, and not both",
  })
  .meta({ minProperties: 1, maxProperties: 1 });
