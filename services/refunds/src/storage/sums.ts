// Compares the sums that are kept beside refunds and settlements with their rows. A sum changes in the transaction that
// changes its rows, so one statement sees them equal at any time.
import type { Queryable } from "@pay/database";
import * as sql from "../generated/sql.ts";

/** The last row of a page, and the names of wrong sums. */
export interface SumsPage<Position> {
  /** Undefined at the end. */
  last: Position | undefined;
  broken: string[];
}

export interface BalancePosition {
  projectId: string;
  paymentId: string;
}

/** Compares the sums of payments with their refunds. */
export async function compareBalances(
  db: Queryable,
  after: BalancePosition,
  rowsMax: number,
): Promise<SumsPage<BalancePosition>> {
  const rows = await sql.compareBalances(db, { ...after, rowsMax });
  const last = rows.at(-1);
  const isFull = last !== undefined && rows.length === rowsMax;
  return {
    last: isFull ? { projectId: last.project_id, paymentId: last.payment_id } : undefined,
    broken: rows.filter((row) => row.is_broken).map((row) => row.payment_id),
  };
}

export interface ProjectPosition {
  projectId: string;
  mode: number;
}

/**
 * Compares the counts and the wallets of the next project. A project that is too large to be counted at once is
 * skipped; the sums of its payments are compared all the same.
 */
export async function compareProject(
  db: Queryable,
  after: ProjectPosition,
  refundsMax: number,
): Promise<SumsPage<ProjectPosition>> {
  const [next] = await sql.findNextProject(db, { ...after, refundsMax });
  if (next === undefined) return { last: undefined, broken: [] };
  const last = { projectId: next.project_id, mode: next.mode };
  if (next.is_large) return { last, broken: [] };
  const [wrong] = await sql.compareProject(db, last);
  const name = `${last.projectId} mode ${last.mode}`;
  return {
    last,
    broken: [
      ...(wrong?.totals ? [`totals of ${name}`] : []),
      ...(wrong?.wallets ? [`wallets of ${name}`] : []),
    ],
  };
}
