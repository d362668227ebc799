// What a list costs, in rows of a page. A row of a page is read, sent to the gateway and written as JSON; a row that is
// only skipped or counted is read in the order of an index and costs a small part of it.
import type { PageRequest } from "../statements/page.ts";

const READS_PER_ROW = 50;
/** The rows of a larger page count twice, because it occupies the service and the gateway for one long stretch. */
const SMALL_PAGE = 20;

/** Of reading rows that are in no answer. */
export function readCost(reads: number): number {
  return reads / READS_PER_ROW;
}

/** Of a page that skips rows. */
export function pageCost({ limit, skipped }: { limit: number; skipped: number }): number {
  return limit + Math.max(0, limit - SMALL_PAGE) + readCost(skipped);
}

/** Of a page by number, which reads the rows before it. */
export function listCost({ page, limit, after }: PageRequest): number {
  return pageCost({ limit, skipped: after === "" ? (page - 1) * limit : 0 });
}
