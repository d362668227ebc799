// How many payments a list has in all. What the triggers keep answers every coarse filter and every whole hour and
// day; rows are counted only where a fine filter leaves few of them, or at the two ends of a stretch of time.
import type { Tenant } from "@pay/rpc";
import {
  allOf,
  coarse,
  created,
  type Filter,
  fine,
  given,
  stretchOf,
  tenantIs,
} from "./conditions.ts";
import { type Piece, piecesOf } from "./spans.ts";

/** The total as one SQL expression; its values are added to the statement's. */
export const totalOf = (tenant: Tenant, filter: Filter, values: unknown[]): string => {
  const kept = [...tenantIs(tenant), ...coarse(filter)];
  const finer = fine(filter);
  const stretch = stretchOf(filter);
  const { from, before } = stretch;
  if (finer.length > 0) {
    const all = allOf([...kept, ...finer, ...created(stretch)], values);
    return `(select count(*) from payments where ${all})`;
  }
  if (from === undefined && before === undefined) {
    return `(select coalesce(sum(payments), 0) from payment_totals where ${allOf(kept, values)})`;
  }
  const partOf = (piece: Piece): string => {
    if (piece.grain === undefined) {
      const rows = allOf([...kept, ...created(piece)], values);
      return `(select count(*) from payments where ${rows})`;
    }
    const spans = [
      ...kept,
      ...given("grain = ?", piece.grain),
      ...given("since >= ?::timestamptz", piece.from),
      ...given("since < ?::timestamptz", piece.before),
    ];
    return `(select coalesce(sum(payments), 0) from payment_spans where ${allOf(spans, values)})`;
  };
  return ["0", ...piecesOf(from, before).map(partOf)].join(" + ");
};
