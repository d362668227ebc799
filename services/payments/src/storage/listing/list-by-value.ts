// Lists of payments with one value, e.g. one order. Most payments of a project may have it, so functions of the
// database read its index in order.
import { COUNTED_MAX } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { PAYMENT_COLUMNS } from "./columns.ts";
import { type Filter, getPeriod, getStoredSource, type Position } from "./conditions.ts";

interface ValueFilter {
  column: "order_id" | "customer_id" | "needs" | "source";
  value: string;
}

/** The value of the only fine filter, where its index has the order of time. */
export function findValueFilter(filter: Filter): ValueFilter | undefined {
  const { txHash, owner, payerAddress, orderId, customerId, needs } = filter;
  if (txHash !== undefined || owner !== undefined || payerAddress !== undefined) return undefined;
  const values = {
    order_id: orderId,
    customer_id: customerId,
    needs,
    source: getStoredSource(filter),
  };
  const [given, ...others] = Object.entries(values).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column: column as ValueFilter["column"], value }],
  );
  return others.length === 0 ? given : undefined;
}

/** The payments after a position, as a query. */
export function buildValuePage(
  valueFilter: ValueFilter,
  tenant: Tenant,
  { filter, after, wanted }: { filter: Filter; after: Position | undefined; wanted: string },
  values: unknown[],
): string {
  const place = `$${values.push(after?.created_at ?? "infinity")}::timestamptz, $${values.push(after?.id ?? "")}::text`;
  const listArguments = buildArguments(valueFilter, { tenant, filter }, values);
  return `select ${PAYMENT_COLUMNS} from list_payments_with_value(${listArguments}, ${place}, ${wanted}) payment`;
}

/** Their number up to a bound, as an expression. As a subquery it runs once and not for each row. */
export function buildValueCount(
  valueFilter: ValueFilter,
  list: { tenant: Tenant; filter: Filter },
  values: unknown[],
): string {
  return `(select count_payments_with_value(${buildArguments(valueFilter, list, values)}, ${COUNTED_MAX}))`;
}

function buildArguments(
  { column, value }: ValueFilter,
  { tenant, filter }: { tenant: Tenant; filter: Filter },
  values: unknown[],
): string {
  const { from, before } = getPeriod(filter);
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
