// Filters of the list of transfers in words; which there are, the API's document says.
import { transferFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";

export type Filters = controls.FilterSearch<typeof transferFilters>;

const WORDS: controls.FilterWords<typeof transferFilters> = {
  unmatched: { label: "Pays something", values: { true: "No", false: "Yes" } },
  chainId: { label: "Network" },
  txHash: { label: "Transaction hash", hint: "0x and 64 digits" },
  from: { label: "Sender", hint: "Wallet that sent the money" },
  currency: { label: "Token" },
  state: { label: "State", values: { seen: "In a block", final: "Final" } },
  created: { label: "Mined" },
};

export const CONTROLS = controls.listControls(transferFilters, WORDS);

export const FIRST = ["created", "from", "txHash", "chainId", "currency"];

export const VIEWS: readonly View[] = [
  { name: "All", filters: { unmatched: undefined } },
  { name: "Without a payment", filters: { unmatched: "true" } },
  { name: "Matched", filters: { unmatched: "false" } },
];
