// The number of payments of a whole list. The sums that the triggers keep answer every coarse filter and every whole hour
// and day; rows are counted only where a fine filter leaves few of them, or at the two ends of a period.
import { allOf, type Condition, condition } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { UNFOLDED_SHARD } from "../spans.ts";
import { coarse, created, type Filter, fine, stretchOf, tenantIs } from "./conditions.ts";
import { type Grain, type Piece, piecesOf } from "./spans.ts";

/** A fine filter that finds more is not counted further, so that no list costs more than the others can bear. */
const COUNTED_MAX = 100_000;

/** The total as one SQL expression; its values are added to the statement's. */
export function totalOf(tenant: Tenant, filter: Filter, values: unknown[]): string {
  const kept = [...tenantIs(tenant), ...coarse(filter)];
  const finer = fine(filter);
  const stretch = stretchOf(filter);
  const { from, before } = stretch;
  if (finer.length > 0) {
    const all = allOf([...kept, ...finer, ...created(stretch)], values);
    return `(select count(*) from (select from payment_records where ${all} limit ${COUNTED_MAX}) as counted)`;
  }
  if (from === undefined && before === undefined) {
    return `(select coalesce(sum(payments), 0) from payment_totals where ${allOf(kept, values)})`;
  }
  function partOf(piece: Piece): string {
    if (piece.grain === undefined) {
      const rows = allOf([...kept, ...created(piece)], values);
      return `(select count(*) from payment_records where ${rows})`;
    }
    const period = [
      ...kept,
      ...condition("since >= ?::timestamptz", piece.from),
      ...condition("since < ?::timestamptz", piece.before),
    ];
    return SOURCES[piece.grain].map((source) => sumOf([...source, ...period], values)).join(" + ");
  }

  return ["0", ...piecesOf(from, before).map(partOf)].join(" + ");
}

function grainIs(grain: Grain): Condition[] {
  return [{ text: `grain = '${grain}'`, values: [] }];
}

/** The rows whose sum is the count of a day or an hour. */
export const SOURCES: Readonly<Record<Grain, readonly Condition[][]>> = {
  day: [grainIs("day"), [...grainIs("hour"), { text: `shard >= ${UNFOLDED_SHARD}`, values: [] }]],
  hour: [grainIs("hour")],
};

function sumOf(conditions: readonly Condition[], values: unknown[]): string {
  return `(select coalesce(sum(payments), 0) from payment_spans where ${allOf(conditions, values)})`;
}
