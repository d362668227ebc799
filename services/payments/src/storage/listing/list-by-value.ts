// Lists of the payments that have one value, e.g. one order. Usually few payments have it; where the merchant names
// a subscription, most of a project's payments have it. Two functions of the database read the index of the value in its order.
import { COUNTED_MAX } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { PAYMENT_COLUMNS } from "./columns.ts";
import { type Filter, type Position, toStretch } from "./conditions.ts";

interface Having {
  column: "order_id" | "customer_id";
  value: string;
}

/** The value, where it is the only fine filter and has an index in the order of time. */
export function findHaving({ orderId, customerId, txHash, owner }: Filter): Having | undefined {
  if (txHash !== undefined || owner !== undefined) return undefined;
  if (orderId === undefined) {
    return customerId === undefined ? undefined : { column: "customer_id", value: customerId };
  }
  return customerId === undefined ? { column: "order_id", value: orderId } : undefined;
}

/** The payments before a place in the list, as a query. */
export function pageHaving(
  having: Having,
  tenant: Tenant,
  { filter, after, wanted }: { filter: Filter; after: Position | undefined; wanted: string },
  values: unknown[],
): string {
  const place = `$${values.push(after?.created_at ?? "infinity")}::timestamptz, $${values.push(after?.id ?? "")}::text`;
  const asked = buildArguments(having, { tenant, filter }, values);
  return `select ${PAYMENT_COLUMNS} from list_payments_with_value(${asked}, ${place}, ${wanted}) payment`;
}

/** How many there are, up to a bound, as an expression. A query of its own runs once and not for each row of the page. */
export function countHaving(
  having: Having,
  list: { tenant: Tenant; filter: Filter },
  values: unknown[],
): string {
  return `(select count_payments_with_value(${buildArguments(having, list, values)}, ${COUNTED_MAX}))`;
}

function buildArguments(
  { column, value }: Having,
  { tenant, filter }: { tenant: Tenant; filter: Filter },
  values: unknown[],
): string {
  const { from, before } = toStretch(filter);
  const { statuses, variant, chainId } = filter;
  const given: [unknown, string][] = [
    [column, "text"],
    [tenant.projectId, "text"],
    [tenant.mode, "smallint"],
    [value, "text"],
    [statuses.length === 0 ? null : statuses, "text[]"],
    [variant ?? null, "smallint"],
    [chainId?.toString() ?? null, "bigint"],
    [from ?? "-infinity", "timestamptz"],
    [before ?? "infinity", "timestamptz"],
  ];
  return given.map(([one, type]) => `$${values.push(one)}::${type}`).join(", ");
}
