// The filters of lists as data, from which the pages of the dashboard draw their controls.
import { findQuery, type Json } from "./operation.ts";
import { type Document, HEAD } from "./write-interface.ts";

/** Lists that have a page. */
const LISTS = {
  paymentFilters: "/v1/payments",
  refundFilters: "/v1/refunds",
  settlementFilters: "/v1/settlements",
  customerFilters: "/v1/customers",
  transferFilters: "/v1/transfers",
  deliveryFilters: "/v1/deliveries",
  eventFilters: "/v1/events",
  keyFilters: "/v1/projects/me/keys",
  auditFilters: "/v1/audit",
  requestFilters: "/v1/request-logs",
};

/** Parameters that narrow nothing. */
const PAGING = ["page", "limit", "after", "expand", "order"];

export function writeFilters({ paths }: Document): string {
  const tables = Object.entries(LISTS).map(([name, path]) => {
    const operation = paths[path]?.get;
    const query = operation && (findQuery(operation)?.properties as Record<string, Json>);
    if (query === undefined) throw new Error(`GET ${path} has no filters`);
    const filters = Object.entries(query).flatMap(([filter, schema]) =>
      PAGING.includes(filter) ? [] : [`${filter}: ${JSON.stringify(describeFilter(schema))},`],
    );
    return `export const ${name} = {\n${filters.join("\n")}\n} as const;\n`;
  });
  return [HEAD, ...tables].join("\n");
}

function describeFilter({ type, format, enum: values, items }: Json) {
  if (type === "array") return { kind: "choices", values: (items as Json).enum };
  if (values !== undefined) return { kind: "choice", values };
  if (type === "boolean") return { kind: "choice", values: ["true", "false"] };
  return { kind: format === "date-time" ? "time" : "text" };
}
