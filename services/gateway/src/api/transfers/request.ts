import { z } from "zod";
import * as field from "../fields.ts";
import { TRANSFER_STATES } from "./response.ts";

export const transferFilters = z.object({
  ...field.pageFields("tr"),
  unmatched: field
    .queryFlag()
    .optional()
    .describe(
      "true: only transfers that pay nothing; false: only transfers that pay something or are being verified.",
    ),
  chainId: field.chainFilter(),
  txHash: field.txHash().optional(),
  from: field.address().optional().describe("Wallet that sent the money."),
  currency: field.currency().optional(),
  state: field
    .choiceField(TRANSFER_STATES)
    .optional()
    .describe("`final`, or `seen` while its block may still leave the chain."),
  ...field.createdFields(),
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
