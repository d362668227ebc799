// The number of payments of a whole list. Stored counts serve coarse filters and whole hours and days. Rows are
// counted only for a fine filter, at the two ends of a period, and on a day without hours.
import { COUNTED_MAX, type Condition, condition, joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import {
  buildCoarse,
  buildFine,
  checkAll,
  createdWithin,
  type Filter,
  getPeriod,
  tenantIs,
} from "./conditions.ts";
import { buildKindCount } from "./list-by-status.ts";
import { buildValueCount, findValueFilter } from "./list-by-value.ts";
import { isSearch, SEARCHED_TOTAL } from "./search.ts";
import { type Grain, type Piece, splitPeriod } from "./split-period.ts";

/** The total as one SQL expression, which reads the kinds of the list. */
export function buildTotal(tenant: Tenant, filter: Filter, values: unknown[]): string {
  if (isSearch(filter)) return SEARCHED_TOTAL;
  const kept = [...tenantIs(tenant), ...buildCoarse(filter)];
  const finer = buildFine(tenant, filter);
  const period = getPeriod(filter);
  const { from, before } = period;
  const valueFilter = findValueFilter(filter);
  if (valueFilter !== undefined) return buildValueCount(valueFilter, { tenant, filter }, values);
  if (finer.length > 0) {
    const all = joinConditions([...finer, checkAll(kept), ...createdWithin(period)], values);
    return `(select count(*) from (select from payments where ${all} limit ${COUNTED_MAX}) as counted)`;
  }
  if (from === undefined && before === undefined) {
    return `(select coalesce(sum(payments), 0) from payment_totals where ${joinConditions(kept, values)})`;
  }
  function summed(source: readonly Condition[], piece: Piece): string {
    const period = [
      ...condition("since >= ?::timestamptz", piece.from),
      ...condition("since < ?::timestamptz", piece.before),
    ];
    const all = joinConditions([...kept, ...source, ...period], values);
    return `(select coalesce(sum(payments), 0) from payment_counts where ${all})`;
  }

  function buildPart(piece: Piece): string {
    if (piece.grain === undefined) return buildKindCount(tenant, piece, values);
    const sums = SOURCES[piece.grain].map((source) => summed(source, piece)).join(" + ");
    if (piece.grain === "day") return sums;
    const day = `date_trunc('day', $${values.push(piece.from)}::timestamptz, 'UTC')`;
    return `case when ${hasHours(day, kept, values)} then ${sums} else ${buildKindCount(tenant, piece, values)} end`;
  }

  return ["0", ...splitPeriod(from, before).map(buildPart)].join(" + ");
}

const PENDING: Condition = { text: "shard > 0", values: [] };
const ROLLED_UP: Condition = { text: "shard = 0", values: [] };

/**
 * The rows whose sum is the count of a day or an hour. Pending rows are of hours only; a condition on that would lead
 * the planner away from their index.
 */
export const SOURCES: Readonly<Record<Grain, readonly Condition[][]>> = {
  day: [[grainIs("day")], [PENDING]],
  hour: [[grainIs("hour")]],
};

function grainIs(grain: Grain): Condition {
  return { text: `grain = '${grain}'`, values: [] };
}

/** A day keeps its hours where both have the same rolled-up sum. */
export function hasHours(day: string, kept: readonly Condition[], values: unknown[]): string {
  const rolledUp = joinConditions([...kept, ROLLED_UP], values);
  return `(select coalesce(sum(case grain when 'day' then payments else -payments end), 0) = 0 from payment_counts
    where ${rolledUp} and since >= ${day} and since < ${day} + interval '1 day' and grain in ('day', 'hour'))`;
}
