// What a list of payments costs, in rows of a page.
import { pageCost, readCost } from "@pay/database";
import { type Filter, hasFine } from "./conditions.ts";
import { isJump } from "./jump.ts";

/** A jump adds up the counts of all days, and reads up to the rows of an hour. */
const JUMP_READS = 10_000;

export function costOf(
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): number {
  return pageCost({ limit, skipped: isJump(offset, filter) ? JUMP_READS : offset });
}

/** What counting has cost, besides. The kept counts answer the other filters. */
export function costOfTotal(filter: Filter, total: bigint): number {
  return hasFine(filter) ? readCost(Number(total)) : 0;
}
