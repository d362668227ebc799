// Filters of the list of payments, named as the API names them: the address of the page is their state.

export const STATUSES = [
  ["created", "Awaiting payment"],
  ["pending", "Awaiting payment, submitted"],
  ["processing", "Confirming"],
  ["confirmed", "Confirmed"],
  ["failed", "Failed"],
  ["expired", "Expired"],
  ["refunded", "Refunded"],
] as const;

export const FILTER_NAMES = [
  "status",
  "createdFrom",
  "createdTo",
  "chainId",
  "orderId",
  "txHash",
  "customerId",
] as const;

export type FilterName = (typeof FILTER_NAMES)[number];
export type Filters = { [name in FilterName | "after"]?: string | undefined };

export function parseFilters(search: Record<string, unknown>): Filters {
  const entries = [...FILTER_NAMES, "after" as const].map((name) => [name, search[name]]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
}

export function countFilters(filters: Filters): number {
  return FILTER_NAMES.filter((name) => filters[name] !== undefined).length;
}

/** Named addresses of the list. */
export const VIEWS: readonly { name: string; status: string | undefined }[] = [
  { name: "All", status: undefined },
  { name: "Awaiting payment", status: "created,pending" },
  { name: "Confirming", status: "processing" },
  { name: "Confirmed", status: "confirmed" },
  { name: "Refunded", status: "refunded" },
  { name: "Expired and failed", status: "expired,failed" },
];

const SHOWN = [
  "chainId",
  "orderId",
  "payerAddress",
  "customer",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
];
const ROWS_MAX = 50;

export function buildListPath(filters: Filters): string {
  const query = new URLSearchParams({ limit: String(ROWS_MAX), expand: SHOWN.join(",") });
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query.set(name, value);
  }
  return `/v1/payments?${query}`;
}

const NAMES = new Map<string, string>(STATUSES);

/** The chosen values as words, e.g. in a list that has no rows. */
export function describeStatuses(status: string): string {
  const words = status.split(",").map((name) => NAMES.get(name) ?? name);
  return words.join(" or ");
}
