// Filters of the events in words; which there are, the API's document says.
import { eventFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = controls.FilterSearch<typeof eventFilters>;

/** With the event beside the list. */
export type Search = Filters & { open?: string | undefined };

/** A type of event is its own word. */
const TYPES = Object.fromEntries(eventFilters.type.values.map((type) => [type, type])) as {
  [type in (typeof eventFilters.type.values)[number]]: type;
};

const WORDS: controls.FilterWords<typeof eventFilters> = {
  type: { label: "Type", values: TYPES },
  resourceId: { label: "Payment or refund", hint: "Its id, e.g. one that begins with pay_" },
  time: { label: "Stored" },
};

export const CONTROLS = controls.listControls(eventFilters, WORDS);
export const FIRST = ["type", "resourceId", "time"];
