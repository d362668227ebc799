// The cost of a list, in rows of a page.
import { pageCost, readCost } from "@pay/database";
import { type Filter, hasFineFilter } from "./conditions.ts";
import { isJump } from "./jump.ts";

/** Adding up the counts for a jump takes as long as reading so many rows. */
const JUMP_READS = 5_000;

export function estimateCost(
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): number {
  return pageCost({ limit, skipped: isJump(offset, filter) ? JUMP_READS : offset });
}

/** Counting costs more only for fine filters and the rows of a jump. */
export function estimateCountCost(
  filter: Filter,
  { total, counted }: { total: bigint; counted: bigint },
): number {
  return readCost(Number(counted) + (hasFineFilter(filter) ? Number(total) : 0));
}
