// Settlements of a tenant. Triggers keep the sums of the paying wallet and reject a settlement that it does not cover.
import { type AllWritten, getConstraint, type Page, type Queryable } from "@pay/database";
import { eventRow, type OutboxRow } from "@pay/events";
import type { Tenant } from "@pay/rpc";
import type { Pool, PoolClient } from "pg";
import type { Settlement, SettlementChange } from "../domain/settlement.ts";
import { toUncoveredFailure } from "../domain/wallet.ts";
import * as sql from "../generated/sql.ts";
import { listRecords, type RecordQuery } from "./list-records.ts";

/** Each column is written by the creation or a move, and a move writes each column that it changes. */
true satisfies AllWritten<
  | Exclude<
      keyof Settlement,
      keyof sql.CreateSettlementSettlements | keyof sql.MoveSettlementSettlements
    >
  | Exclude<keyof SettlementChange, keyof sql.MoveSettlementSettlements>
>;

export async function insertSettlement(
  tx: PoolClient,
  settlement: Settlement,
  event: OutboxRow,
): Promise<void> {
  await rejectUncovered(
    sql.createSettlement(tx, { settlements: [{ ...settlement, ...eventRow(event) }] }),
  );
}

/** Stores a move; false when the settlement has moved meanwhile. */
export async function moveSettlement(
  db: Queryable,
  after: Settlement,
  event: OutboxRow,
): Promise<boolean> {
  const settlements = [{ ...after, ...eventRow(event) }];
  return (await rejectUncovered(sql.moveSettlement(db, { settlements }))) === 1;
}

async function rejectUncovered<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw toUncoveredFailure(getConstraint(error)) ?? error;
  }
}

/** Stores submitted hashes and their verdicts. False when the settlement has moved or has other hashes meanwhile. */
export async function changeSettlementHashes(
  db: Queryable,
  before: Settlement,
  after: Settlement,
  { from, event }: { from: readonly string[]; event: OutboxRow },
): Promise<boolean> {
  const known = { known_hash: before.tx_hash, known_others: before.other_hashes };
  const settlements = [{ ...after, ...known, ...eventRow(event) }];
  return (await sql.changeSettlementHashes(db, { settlements, statuses: from })) === 1;
}

/** A settlement of another tenant is as absent as an unknown one. */
export async function findSettlement(
  db: Queryable,
  tenant: Tenant,
  id: string,
): Promise<Settlement | undefined> {
  const [settlement] = await sql.findSettlement(db, { ...tenant, id });
  return settlement;
}

export function listSettlements(
  pool: Pool,
  tenant: Tenant,
  query: RecordQuery,
): Promise<Page<Settlement>> {
  return listRecords("settlements", pool, tenant, query);
}
