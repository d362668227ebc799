// Queries across tenants, for verdicts of the chain and background jobs; callers never receive their rows.
import type { Queryable } from "@pay/database";
import type { PoolClient } from "pg";
import type { Balance } from "../domain/balance.ts";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";
import * as sql from "../generated/sql.ts";

/** A record of any project. */
export interface RecordName {
  projectId: string;
  resourceId: string;
}

function toRows(names: readonly RecordName[]) {
  return names.map(({ projectId, resourceId }) => ({ project_id: projectId, id: resourceId }));
}

/** Refunds by id and the balances of their payments, under lock until the transaction ends. */
export async function lockRefunds(
  tx: PoolClient,
  names: readonly RecordName[],
): Promise<{ refunds: Map<string, Refund>; balances: Map<string, Balance> }> {
  const balances = await sql.lockBalances(tx, { refunds: toRows(names) });
  const refunds = await sql.lockRefunds(tx, { refunds: toRows(names) });
  return {
    refunds: new Map(refunds.map((refund) => [refund.id, refund])),
    balances: new Map(balances.map((balance) => [balance.payment_id, balance])),
  };
}

/** Settlements by id, under lock until the transaction ends. */
export async function lockSettlements(
  tx: PoolClient,
  names: readonly RecordName[],
): Promise<Map<string, Settlement>> {
  const settlements = await sql.lockSettlements(tx, { settlements: toRows(names) });
  return new Map(settlements.map((settlement) => [settlement.id, settlement]));
}

/** Records whose transaction was not submitted in time, oldest first. */
export function findOverdue(
  db: Queryable,
  table: "refunds" | "settlements",
  { before, rowsMax }: { before: Date; rowsMax: number },
): Promise<RecordName[]> {
  return table === "refunds"
    ? sql.findOverdueRefunds(db, { createdBefore: before, rowsMax })
    : sql.findOverdueSettlements(db, { approvedBefore: before, rowsMax });
}

const COUNT_MAX = 10_000;

/** Records on hold, and wallets that owe more than they received. */
export async function countOnHold(db: Queryable): Promise<sql.CountOnHoldRow> {
  const [counts] = await sql.countOnHold(db, { rowsMax: COUNT_MAX });
  return counts as sql.CountOnHoldRow;
}
