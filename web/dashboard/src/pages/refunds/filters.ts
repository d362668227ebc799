// Filters of the list of refunds in words; which there are, the API's document says.
import { refundFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";

export type Filters = controls.FilterSearch<typeof refundFilters>;

const WORDS: controls.FilterWords<typeof refundFilters> = {
  paymentId: { label: "Payment", hint: "Id that begins with pay_" },
  status: {
    label: "Status",
    values: { created: "Open", completed: "Returned", failed: "Failed" },
  },
  chainId: { label: "Network" },
  currency: { label: "Token" },
  created: { label: "Created" },
  toSign: { label: "To sign", values: { true: "Yes", false: "No" } },
  txHash: { label: "Transaction hash", hint: "0x and 64 digits" },
};

export const CONTROLS = controls.listControls(refundFilters, WORDS);

/** Always in sight; the others are behind More. */
export const FIRST = ["status", "created", "chainId", "currency", "paymentId"];

export const TO_SIGN = { status: undefined, toSign: "true" } as const;

export function buildViews(toSign: number | undefined): View[] {
  return [
    { name: "All", filters: { status: undefined, toSign: undefined } },
    { name: "To sign", filters: TO_SIGN, count: toSign },
    { name: "Waiting", filters: { status: "created", toSign: "false" } },
    { name: "Returned", filters: { status: "completed", toSign: undefined } },
    { name: "Failed", filters: { status: "failed", toSign: undefined } },
  ];
}
