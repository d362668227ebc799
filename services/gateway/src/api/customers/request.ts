import { z } from "zod";
import * as field from "../fields.ts";
import { CUSTOMER_EXTRAS, CUSTOMER_ITEM_EXTRAS } from "./response.ts";

export const customerChange = z.object({
  displayName: field.name(100).nullable().optional().describe("Display name; null for none."),
  metadata: field
    .metadata()
    .nullable()
    .optional()
    .describe("Your own keys and values, returned as you sent them; null for none."),
});

export const customerCreation = z.object({
  walletAddress: field.address().describe("Wallet address."),
  email: field.email().optional().describe("Email address."),
  displayName: field.name(100).optional().describe("Display name."),
  metadata: field.metadata().optional(),
});

export const customerExpansion = z.object({ expand: field.expansion(CUSTOMER_EXTRAS) });

export const customerFilters = z.object({
  ...field.pageFields("cust"),
  walletAddress: field.address().optional().describe("Wallet address."),
  name: field.name(100).optional().describe("Beginning of the display name, in any case."),
  ...field.createdFields(),
  expand: field.expansion(CUSTOMER_ITEM_EXTRAS),
});

/** A text without characters clears. */
export function toDetails({ displayName, metadata }: z.output<typeof customerChange>) {
  return {
    displayName: displayName === null ? "" : displayName,
    metadataJson: metadata === null ? "" : metadata && JSON.stringify(metadata),
  };
}
