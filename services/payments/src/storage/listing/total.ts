// The number of payments of a whole list. The sums that the triggers keep answer every coarse filter and every whole hour
// and day; rows are counted only where a fine filter leaves few of them, at the two ends of a period, and on a day that had
// so few payments that its hours are not kept.
import { COUNTED_MAX, type Condition, condition, joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import {
  checkedAll,
  coarse,
  created,
  type Filter,
  fine,
  tenantIs,
  toStretch,
} from "./conditions.ts";
import { getCount } from "./list-by-status.ts";
import { countHaving, findHaving } from "./list-by-value.ts";
import { type Grain, type Piece, splitPieces } from "./split-period.ts";

/** The total as one SQL expression, which reads the kinds of the list. Its values are added to those of the statement. */
export function countTotal(tenant: Tenant, filter: Filter, values: unknown[]): string {
  const kept = [...tenantIs(tenant), ...coarse(filter)];
  const finer = fine(tenant, filter);
  const stretch = toStretch(filter);
  const { from, before } = stretch;
  const having = findHaving(filter);
  if (having !== undefined) return countHaving(having, { tenant, filter }, values);
  if (finer.length > 0) {
    const all = joinConditions([...finer, checkedAll(kept), ...created(stretch)], values);
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
    if (piece.grain === undefined) return getCount(tenant, piece, values);
    const sums = SOURCES[piece.grain].map((source) => summed(source, piece)).join(" + ");
    if (piece.grain === "day") return sums;
    const day = `date_trunc('day', $${values.push(piece.from)}::timestamptz, 'UTC')`;
    return `case when ${hasHours(day, kept, values)} then ${sums} else ${getCount(tenant, piece, values)} end`;
  }

  return ["0", ...splitPieces(from, before).map(buildPart)].join(" + ");
}

const PENDING: Condition = { text: "shard > 0", values: [] };
const ROLLED_UP: Condition = { text: "shard = 0", values: [] };

/**
 * The rows whose sum is the count of a day or an hour. Unfolded rows are of hours only; to say so makes the planner expect too
 * few of them to take their own index.
 */
export const SOURCES: Readonly<Record<Grain, readonly Condition[][]>> = {
  day: [[grainIs("day")], [PENDING]],
  hour: [[grainIs("hour")]],
};

function grainIs(grain: Grain): Condition {
  return { text: `grain = '${grain}'`, values: [] };
}

/** Whether the hours of a day are kept: what is folded into them is then as much as what is folded into the day. */
export function hasHours(day: string, kept: readonly Condition[], values: unknown[]): string {
  const folded = joinConditions([...kept, ROLLED_UP], values);
  return `(select coalesce(sum(case grain when 'day' then payments else -payments end), 0) = 0 from payment_counts
    where ${folded} and since >= ${day} and since < ${day} + interval '1 day' and grain in ('day', 'hour'))`;
}
