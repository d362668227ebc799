import { z } from "zod";
import { PAY_ID } from "../example-values.ts";
import * as field from "../fields.ts";
import { getPage, toPeriod } from "../page.ts";
import { REFUND_EXTRAS, REFUND_ITEM_EXTRAS, REFUND_STATUSES } from "./response.ts";

export const refundCreation = z.object({
  paymentId: field.reference(128).meta({ description: "Id of the payment.", example: PAY_ID }),
  amount: field.amount().optional(),
  reason: field.text(500).optional().describe("Free text, for you and your customer."),
  destinationAddress: field.address().optional().describe("Wallet that receives the money."),
  surplus: field
    .flag()
    .optional()
    .describe(
      "Refunds what was received beyond the payment's amount; it does not count towards the amount.",
    ),
});

export const refundDestination = z.object({
  destinationAddress: field.address().describe("Wallet that receives the money."),
});

export const refundExpansion = z.object({ expand: field.expansion(REFUND_EXTRAS) });

export const refundFilters = z.object({
  ...field.pageFields("refund"),
  paymentId: field.reference(128).optional().describe("Id of the payment."),
  status: field
    .listField(REFUND_STATUSES)
    .optional()
    .describe("Status; the guide explains each value."),
  chainId: field.chainFilter(),
  currency: field.currency().optional(),
  ...field.createdFields(),
  toSign: field.queryFlag().optional().describe("Whether your wallet has to sign it."),
  txHash: field.txHash().optional(),
  expand: field.expansion(REFUND_ITEM_EXTRAS),
});

export function toFilter(query: z.output<typeof refundFilters>) {
  const { status: statuses = [], paymentId, chainId, currency, toSign, txHash } = query;
  return {
    page: getPage(query),
    statuses,
    paymentId,
    chainId: chainId === undefined ? undefined : BigInt(chainId),
    currency,
    toSign,
    txHash,
    ...toPeriod(query),
  };
}
