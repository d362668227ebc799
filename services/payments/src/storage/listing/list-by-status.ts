// A kind of payments has a variant, a status and a chain. A list reads each of its kinds from an index in the order
// of time, so a rare kind is not searched among common ones.
import { joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { PAYMENT_COLUMNS } from "./columns.ts";
import {
  buildCoarse,
  createdWithin,
  type Filter,
  type Period,
  type Position,
  tenantIs,
} from "./conditions.ts";

/** The kinds of a list, as a common table expression. */
export function buildKinds(tenant: Tenant, filter: Filter, values: unknown[]): string {
  const kept = joinConditions([...tenantIs(tenant), ...buildCoarse(filter)], values);
  return `kind as materialized (
    select variant, status, chain_id from payment_totals where ${kept} group by 1, 2, 3 having sum(payments) <> 0)`;
}

/** The number of payments of `kind` in a period, as an expression. */
export function buildKindCount(
  { projectId, mode }: Tenant,
  { from, before }: Period,
  values: unknown[],
): string {
  const key = {
    text: `payment_kind_key(project_id, mode, variant, status, chain_id)
      = payment_kind_key(?, ?::smallint, kind.variant, kind.status, kind.chain_id)`,
    values: [projectId, mode],
  };
  const rows = joinConditions(
    [key, ...tenantIs({ projectId, mode }), ...createdWithin({ from, before })],
    values,
  );
  return `(select coalesce(sum(counted.n), 0) from kind cross join lateral (
    select count(*) as n from payments where ${rows}
      and variant = kind.variant and status = kind.status and chain_id = kind.chain_id) counted)`;
}

/** The number of payments of `kind` in each second of `hour`, as a query, from the end that is nearer to the page. */
export function buildSecondCounts({ projectId, mode }: Tenant, values: unknown[]): string {
  const tenant = `$${values.push(projectId)}::text, $${values.push(mode)}::smallint`;
  return `select counted.* from hour cross join (
      select array_agg(variant) as variants, array_agg(status) as statuses, array_agg(chain_id) as chains from kind
    ) kinds cross join lateral count_payments_by_second(${tenant}, variants, statuses, chains, hour.since, hour.ends_at, hour.payments,
      hour.is_near, case when hour.is_near then hour.rows_left + 1 else hour.payments - hour.rows_left end) counted`;
}

interface KindPage {
  from: Date | undefined;
  /** A time, or the expression of one. */
  before: Date | string | undefined;
  after: Position | undefined;
  /** The expression of a number. */
  wanted: string;
}

/** The first payments of each kind, as a query. */
export function buildKindPage(
  { projectId, mode }: Tenant,
  { from, before, after, wanted }: KindPage,
  values: unknown[],
): string {
  function value(given: unknown, type: string) {
    return `$${values.push(given)}::${type}`;
  }

  const tenant = `${value(projectId, "text")}, ${value(mode, "smallint")}`;
  const since = value(from ?? "-infinity", "timestamptz");
  const end = typeof before === "string" ? before : value(before ?? "infinity", "timestamptz");
  const place = `${value(after?.created_at ?? "infinity", "timestamptz")}, ${value(after?.id ?? "", "text")}`;
  return `select ${PAYMENT_COLUMNS} from kind cross join lateral list_payments_of_kind(${tenant},
    kind.variant, kind.status, kind.chain_id, ${since}, ${end}, ${place}, ${wanted}) payment`;
}
