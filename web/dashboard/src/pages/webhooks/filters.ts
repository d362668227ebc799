// Filters of the deliveries in words; which there are, the API's document says.
import { deliveryFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = controls.FilterSearch<typeof deliveryFilters>;

/** A type of event is its own word. */
const TYPES = Object.fromEntries(deliveryFilters.type.values.map((type) => [type, type])) as {
  [type in (typeof deliveryFilters.type.values)[number]]: type;
};

const WORDS: controls.FilterWords<typeof deliveryFilters> = {
  state: {
    label: "State",
    values: { pending: "Under way", delivered: "Taken", failed: "Failed", parked: "Parked" },
  },
  type: { label: "Event type", values: TYPES },
  endpointId: { label: "Endpoint" },
  resourceId: { label: "Payment or refund", hint: "Its id, e.g. one that begins with pay_" },
  eventId: { label: "Event", hint: "Id that begins with evt_" },
  time: { label: "Made" },
};

export const CONTROLS = controls.listControls(deliveryFilters, WORDS);

/** Always in sight; the others are behind More. */
export const FIRST = ["state", "type", "endpointId", "resourceId", "time"];

export interface Search extends Filters {
  /** The delivery beside the list. */
  open?: string | undefined;
}
