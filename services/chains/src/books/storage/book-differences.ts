// Compares each allocation once with the books, in the order in which allocations were recorded.
import { transaction } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import * as sql from "../../generated/sql.ts";

/** waiting: the books have not reached the next records. done: nothing is left to compare. */
export type Compared = "more" | "waiting" | "done";

/** The next window of time; one process at a time. */
export async function compareRecords(pool: Pool, chainId: ChainId): Promise<Compared> {
  await sql.openBookCursor(pool, { chainId });
  return transaction(pool, (tx) => compareWindow(tx, chainId));
}

async function compareWindow(tx: PoolClient, chainId: ChainId): Promise<Compared> {
  const [window] = await sql.lockBookWindow(tx, { chainId });
  if (window === undefined || window.until <= window.since) return "done";
  const [unchecked] = await sql.hasUncheckedRecords(tx, { chainId, ...window });
  if (unchecked?.found) return "waiting";
  await sql.recordTransferDifferences(tx, { chainId, ...window });
  await sql.sumBookRecords(tx, { chainId, ...window });
  await sql.advanceBookCursor(tx, { chainId, until: window.until });
  return "more";
}

/** Those that no operator has closed. */
export async function countDifferences(pool: Pool, chainId: ChainId): Promise<number> {
  const [row] = await sql.countBookDifferences(pool, { chainId });
  return row?.count ?? 0;
}
