// The stored transactions of one payment, for people who ask why it is where it is.
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

const TRANSACTIONS_MAX = 50;
const TRANSFERS_MAX = 200;

export interface Examined {
  transactions: sql.FindExaminationsRow[];
  transfers: sql.FindExaminedTransfersRow[];
}

/** Nothing for a payment of another tenant. */
export async function findExaminations(
  pool: Pool,
  { projectId, mode }: Tenant,
  subjectId: string,
): Promise<Examined> {
  const transactions = await sql.findExaminations(pool, {
    projectId,
    mode,
    subjectId,
    max: TRANSACTIONS_MAX,
  });
  if (transactions.length === 0) return { transactions, transfers: [] };
  const transfers = await sql.findExaminedTransfers(pool, {
    projectId,
    candidateIds: transactions.map(({ id }) => id),
    max: TRANSFERS_MAX,
  });
  return { transactions, transfers };
}
