// Filters of the list of payment links in words.
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";
import { PAYMENT_STATUSES } from "../../parts/payment-cells.tsx";
import { linkFilters } from "./address.ts";

export type Filters = controls.FilterSearch<typeof linkFilters>;

const WORDS: controls.FilterWords<typeof linkFilters> = {
  status: { label: "Status", values: PAYMENT_STATUSES },
  created: { label: "Created" },
  chainId: { label: "Network" },
  orderId: { label: "Order", hint: "As it was given" },
};

export const CONTROLS = controls.listControls(linkFilters, WORDS);

export const FIRST = ["status", "created", "orderId", "chainId"];

export const VIEWS: readonly View[] = [
  { name: "All", filters: { status: undefined } },
  { name: "Open", filters: { status: "created,pending" } },
  { name: "Confirming", filters: { status: "processing" } },
  { name: "Paid", filters: { status: "confirmed" } },
  { name: "Expired", filters: { status: "expired" } },
];
