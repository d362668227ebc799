// Rolls the counts of a finished day up into shard 0 of the day, and of each hour where the day had many payments.
// Totals stay exact: a round is one transaction, and a pending shard counts for its hour and its day.
import type { ClientBase } from "pg";
import { deleteZeroCounts, rollUpCounts as rollUpCountRows } from "../generated/sql.ts";

/** A day of a project with more payments keeps its hours; so many rows of an index are counted in a millisecond. */
export const HOURS_ABOVE = 1_000;

export interface RollUpRound {
  /** Days that ended before. */
  before: Date;
  /** Of pending counts; those of the same days follow. */
  limit: number;
  hoursAbove: number;
}

/** Runs in a transaction of one snapshot, and returns false when nothing is left. */
export async function rollUpCounts(
  tx: ClientBase,
  { before, limit, hoursAbove }: RollUpRound,
): Promise<boolean> {
  const midnight = new Date(before);
  midnight.setUTCHours(0, 0, 0, 0);
  const days = await rollUpCountRows(tx, { before: midnight, limit, hoursAbove });
  if (days.length > 0) await deleteZeroCounts(tx, { days });
  return days[0]?.found === limit;
}
