import { z } from "zod";
import { TREASURY } from "../example-values.ts";
import * as field from "../fields.ts";
import { getPage, toPeriod } from "../page.ts";
import { SETTLEMENT_EXTRAS, SETTLEMENT_STATUSES } from "./response.ts";

export const settlementCreation = z.object({
  chainId: field.chainId(),
  currency: field.currency(),
  amount: field.amount().optional(),
  sourceAddress: field.address().describe("Wallet that sends the money."),
  destinationAddress: field
    .address()
    .meta({ description: "Wallet that receives the money.", example: TREASURY }),
  metadata: field.metadata().optional(),
});

export const settlementExpansion = z.object({
  expand: field.expansion(SETTLEMENT_EXTRAS),
});

export const settlementFilters = z.object({
  ...field.pageFields("stl"),
  status: field
    .listField(SETTLEMENT_STATUSES)
    .optional()
    .describe("Status; the guide explains each value."),
  chainId: field.chainFilter(),
  currency: field.currency().optional(),
  ...field.createdFields(),
  toSign: field.queryFlag().optional().describe("Whether your wallet has to sign it."),
  ...settlementExpansion.shape,
});

export function toSettlement({
  chainId,
  sourceAddress,
  destinationAddress,
  metadata,
  ...body
}: z.output<typeof settlementCreation>) {
  return {
    ...body,
    chainId: BigInt(chainId),
    sourceAddress,
    destinationAddress,
    metadataJson: metadata && JSON.stringify(metadata),
  };
}

export function toFilter(query: z.output<typeof settlementFilters>) {
  const { status: statuses = [], chainId, currency, toSign } = query;
  return {
    page: getPage(query),
    statuses,
    chainId: chainId === undefined ? undefined : BigInt(chainId),
    currency,
    toSign,
    ...toPeriod(query),
  };
}
