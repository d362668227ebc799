import { z } from "zod";
import * as field from "../fields.ts";
import { CUSTOMER_EXTRAS, CUSTOMER_ITEM_EXTRAS } from "./response.ts";

export const customerChange = z.object({
  displayName: field.name(100).optional().describe("Display name."),
  metadata: field.metadata().optional(),
});

export const customerCreation = z.object({
  walletAddress: field.address().describe("Wallet address."),
  email: field.email().optional().describe("Email address."),
  ...customerChange.shape,
});

export const customerExpansion = z.object({ expand: field.expansion(CUSTOMER_EXTRAS) });

export const customerFilters = z.object({
  ...field.pageFields("cust"),
  walletAddress: field.address().optional().describe("Wallet address."),
  expand: field.expansion(CUSTOMER_ITEM_EXTRAS),
});

export function toDetails({ displayName, metadata }: z.output<typeof customerChange>) {
  return { displayName, metadataJson: metadata && JSON.stringify(metadata) };
}
