// The books of a project's wallets within a time, beside the records.
import { type Amount, toAmount } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

const LINES_MAX = 1_000;

/** Of one project; from is in it, to is not. */
export interface BookTime {
  projectId: string;
  from: Date;
  to: Date;
}

const SUMS = [
  "received",
  "recorded_received",
  "refunded",
  "recorded_refunded",
  "settled",
  "recorded_settled",
  "foreign_in",
  "foreign_out",
  "gas",
] as const;

/** In the books, and in the records. */
type Sums = Record<(typeof SUMS)[number], Amount>;

export type BookedAccount = Omit<sql.ListBookAccountsRow, keyof Sums> & Sums;

export type BookDifference = sql.ListBookDifferencesRow;

export async function listBookedAccounts(pool: Pool, time: BookTime): Promise<BookedAccount[]> {
  const rows = await sql.listBookAccounts(pool, { ...time, max: LINES_MAX });
  return rows.map((row) => {
    const sums = Object.fromEntries(SUMS.map((name) => [name, toAmount(row[name])])) as Sums;
    return { ...row, ...sums };
  });
}

/** Those that are open, and those that were noted within the time. */
export function listBookDifferences(pool: Pool, time: BookTime): Promise<BookDifference[]> {
  return sql.listBookDifferences(pool, { ...time, max: LINES_MAX });
}
