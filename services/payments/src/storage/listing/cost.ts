// What a list of payments costs, in rows of a page.
import { pageCost, readCost } from "@pay/database";
import { type Filter, hasFine } from "./conditions.ts";
import { isJump } from "./jump.ts";

/** What adding up the counts of days and hours for a jump takes as long as. */
const JUMP_READS = 5_000;

export function estimateCost(
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): number {
  return pageCost({ limit, skipped: isJump(offset, filter) ? JUMP_READS : offset });
}

/** What counting has cost, besides. The kept counts answer the total of the other filters. */
export function costOfCounts(
  filter: Filter,
  { total, counted }: { total: bigint; counted: bigint },
): number {
  return readCost(Number(counted) + (hasFine(filter) ? Number(total) : 0));
}
