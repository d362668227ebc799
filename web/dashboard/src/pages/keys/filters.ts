// Filters of the keys in words; which there are, the API's document says.
import { keyFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = controls.FilterSearch<typeof keyFilters>;

const WORDS: controls.FilterWords<typeof keyFilters> = {
  type: { label: "Type", values: { secret: "Secret", publishable: "Publishable" } },
  state: { label: "State", values: { active: "Active", expired: "Expired", revoked: "Revoked" } },
};

export const CONTROLS = controls.listControls(keyFilters, WORDS);
export const FIRST = ["type", "state"];
