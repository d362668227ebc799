// Filters of the list of customers in words; which there are, the API's document says.
import { customerFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = controls.FilterSearch<typeof customerFilters>;

const WORDS: controls.FilterWords<typeof customerFilters> = {
  name: { label: "Name", hint: "Its beginning" },
  walletAddress: { label: "Wallet", hint: "0x and 40 digits" },
  created: { label: "Created" },
};

export const CONTROLS = controls.listControls(customerFilters, WORDS);

export const FIRST = ["name", "walletAddress", "created"];
