// A kind of payments has a variant, a status and a chain. An index has the payments of each kind in the order of their time,
// so a list reads each of its kinds by itself: a rare one is not searched for among the common ones.
import { joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { PAYMENT_COLUMNS } from "./columns.ts";
import {
  coarse,
  created,
  type Filter,
  type Position,
  type Stretch,
  tenantIs,
} from "./conditions.ts";

/** A common table expression: the kinds that a list has. */
export function buildKinds(tenant: Tenant, filter: Filter, values: unknown[]): string {
  const kept = joinConditions([...tenantIs(tenant), ...coarse(filter)], values);
  return `kind as materialized (
    select variant, status, chain_id from payment_totals where ${kept} group by 1, 2, 3 having sum(payments) <> 0)`;
}

/** How many payments of all rows of `kind` a period has. */
export function getCount(
  { projectId, mode }: Tenant,
  { from, before }: Stretch,
  values: unknown[],
): string {
  const key = {
    text: `payment_kind_key(project_id, mode, variant, status, chain_id)
      = payment_kind_key(?, ?::smallint, kind.variant, kind.status, kind.chain_id)`,
    values: [projectId, mode],
  };
  const rows = joinConditions(
    [key, ...tenantIs({ projectId, mode }), ...created({ from, before })],
    values,
  );
  return `(select coalesce(sum(counted.n), 0) from kind cross join lateral (
    select count(*) as n from payments where ${rows}
      and variant = kind.variant and status = kind.status and chain_id = kind.chain_id) counted)`;
}

/**
 * How many payments of all rows of `kind` lie in each second of the row of `hour`, as a query. They are counted from the end of
 * the hour that is nearer to the page, and no further than to its first payment.
 */
export function buildSeconds({ projectId, mode }: Tenant, values: unknown[]): string {
  const tenant = `$${values.push(projectId)}::text, $${values.push(mode)}::smallint`;
  return `select counted.* from hour cross join (
      select array_agg(variant) as variants, array_agg(status) as statuses, array_agg(chain_id) as chains from kind
    ) kinds cross join lateral count_payments_by_second(${tenant}, variants, statuses, chains, hour.since, hour.ends_at, hour.payments,
      hour.is_near, case when hour.is_near then hour.rows_left + 1 else hour.payments - hour.rows_left end) counted`;
}

interface PartOfKinds {
  from: Date | undefined;
  /** A time, or the expression of one. */
  before: Date | string | undefined;
  after: Position | undefined;
  /** The expression of a number. */
  wanted: string;
}

/** The first payments of each row of `kind`, as a query. */
export function pageOfKinds(
  { projectId, mode }: Tenant,
  { from, before, after, wanted }: PartOfKinds,
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
