import { z } from "zod";
import * as field from "../fields.ts";
import { REFUND_EXTRAS, REFUND_ITEM_EXTRAS, REFUND_STATUSES } from "./response.ts";

export const refundCreation = z.object({
  paymentId: field.reference(128),
  amount: field.amount().optional(),
  reason: field.text(500).optional(),
  destinationAddress: field.address().optional(),
});

export const refundExpansion = z.object({ expand: field.listField(REFUND_EXTRAS).optional() });

export const refundFilters = z.object({
  ...field.pageFields("refund"),
  paymentId: field.reference(128).optional(),
  status: field.listField(REFUND_STATUSES).optional(),
  expand: field.listField(REFUND_ITEM_EXTRAS).optional(),
});
