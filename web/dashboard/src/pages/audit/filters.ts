// Filters of the audit log in words; which there are, the API's document says.
import { auditFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = controls.FilterSearch<typeof auditFilters>;

const WORDS: controls.FilterWords<typeof auditFilters> = {
  actor: { label: "Who", hint: "Id of a member or a key, or operator" },
  action: { label: "What", hint: "E.g. settlements.approve" },
  targetId: { label: "On what", hint: "Its id" },
  time: { label: "When" },
};

export const CONTROLS = controls.listControls(auditFilters, WORDS);
export const FIRST = ["time", "actor", "action", "targetId"];
