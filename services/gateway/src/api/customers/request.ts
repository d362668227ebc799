import { z } from "zod";
import * as field from "../fields.ts";
import { CUSTOMER_EXTRAS, CUSTOMER_ITEM_EXTRAS } from "./response.ts";

export const customerChange = z.object({
  displayName: field.name(100).optional(),
  metadata: field.metadata().optional(),
});

export const customerCreation = z.object({
  walletAddress: field.address(),
  email: field.email().optional(),
  ...customerChange.shape,
});

export const customerExpansion = z.object({ expand: field.listField(CUSTOMER_EXTRAS).optional() });

export const customerFilters = z.object({
  ...field.pageFields("cust"),
  walletAddress: field.address().optional(),
  expand: field.listField(CUSTOMER_ITEM_EXTRAS).optional(),
});

export function toDetails({ displayName, metadata }: z.output<typeof customerChange>) {
  return { displayName, metadataJson: metadata && JSON.stringify(metadata) };
}
