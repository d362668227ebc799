// Filters of the request log in words; which there are, the API's document says.
import { requestFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";

export type Filters = controls.FilterSearch<typeof requestFilters>;

/** With the request beside the list. */
export type Search = Filters & { open?: string | undefined };

const WORDS: controls.FilterWords<typeof requestFilters> = {
  status: {
    label: "Outcome",
    values: { "2xx": "Done", "4xx": "Not accepted", "5xx": "Failed here" },
  },
  method: {
    label: "Method",
    values: { GET: "GET", POST: "POST", PUT: "PUT", DELETE: "DELETE" },
  },
  errorCode: { label: "Error code", hint: "E.g. field_invalid" },
  path: { label: "Path", hint: "E.g. /v1/payments or /v1/payments/{id}" },
  actor: { label: "Who", hint: "Id of a member or a key" },
  requestId: { label: "Request id", hint: "As in the header X-Request-Id" },
  time: { label: "Made" },
};

export const CONTROLS = controls.listControls(requestFilters, WORDS);
export const FIRST = ["status", "method", "errorCode", "requestId", "time"];

export const VIEWS: View[] = [
  { name: "All", filters: {} },
  { name: "Failed", filters: { status: "4xx,5xx" } },
];
