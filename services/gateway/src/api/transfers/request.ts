import { z } from "zod";
import * as field from "../fields.ts";

export const transferFilters = z.object({
  ...field.pageFields("tr"),
  unmatched: field
    .queryFlag()
    .optional()
    .describe(
      "true: only transfers that pay nothing; false: only transfers that pay something or are being verified.",
    ),
  chainId: field
    .queryInteger(Number.MAX_SAFE_INTEGER, "be a positive integer")
    .optional()
    .describe("Chain id."),
});

export const assignment = z
  .object({
    paymentId: field.reference(128).optional().describe("Payment that the transfer is for."),
    refundId: field.reference(128).optional().describe("Refund that the transfer is for."),
  })
  .refine(({ paymentId, refundId }) => (paymentId === undefined) !== (refundId === undefined), {
    path: ["paymentId"],
    error: "or refundId must be set, but not both",
  })
  .meta({ minProperties: 1, maxProperties: 1 });
