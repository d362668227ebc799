// What a list costs, in rows of a page. A row of a page is read, sent to the gateway and written as JSON; a row that is only
// skipped or counted is read in the index's order and costs a small part of it.
import { type Filter, hasFine } from "./conditions.ts";
import { isJump } from "./jump.ts";

const READS_PER_ROW = 50;
/** The rows of a larger page count twice, because it occupies the service and the gateway for one long stretch. */
const SMALL_PAGE = 20;
/** A jump adds up the counts of all days, and reads up to the rows of an hour. */
const JUMP_ROWS = 200;

export function costOf(
  filter: Filter,
  { limit, offset }: { limit: number; offset: number },
): number {
  const page = limit + Math.max(0, limit - SMALL_PAGE);
  return page + (isJump(offset, filter) ? JUMP_ROWS : offset / READS_PER_ROW);
}

/** What counting has cost, besides. The kept counts answer the other filters. */
export function costOfTotal(filter: Filter, total: bigint): number {
  return hasFine(filter) ? Number(total) / READS_PER_ROW : 0;
}
