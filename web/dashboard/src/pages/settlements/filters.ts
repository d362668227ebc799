// Filters of the list of settlements in words; which there are, the API's document says.
import { settlementFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";

export type Filters = controls.FilterSearch<typeof settlementFilters>;

const WORDS: controls.FilterWords<typeof settlementFilters> = {
  status: {
    label: "Status",
    values: {
      requested: "To approve",
      approved: "Approved",
      completed: "Settled",
      failed: "Failed or rejected",
    },
  },
  chainId: { label: "Network" },
  currency: { label: "Token" },
  created: { label: "Created" },
  toSign: { label: "To sign", values: { true: "Yes", false: "No" } },
};

export const CONTROLS = controls.listControls(settlementFilters, WORDS);

export const FIRST = ["status", "created", "chainId", "currency", "toSign"];

export const TO_SIGN = { status: undefined, toSign: "true" } as const;
export const TO_APPROVE = { status: "requested", toSign: undefined } as const;

export function buildViews({
  toApprove,
  toSign,
}: Record<"toApprove" | "toSign", number | undefined>): View[] {
  return [
    { name: "All", filters: { status: undefined, toSign: undefined } },
    { name: "To approve", filters: TO_APPROVE, count: toApprove },
    { name: "To sign", filters: TO_SIGN, count: toSign },
    { name: "Confirming", filters: { status: "approved", toSign: "false" } },
    { name: "Settled", filters: { status: "completed", toSign: undefined } },
    { name: "Failed", filters: { status: "failed", toSign: undefined } },
  ];
}
