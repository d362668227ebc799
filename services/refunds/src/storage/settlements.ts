// Settlements of a tenant. Every change is one statement that also writes its outbox row; triggers keep the sums of the
// paying wallet and refuse what the wallet does not cover.
import { condition, getConstraint, type Page, type PageRequest } from "@pay/database";
import { insertWithEvent, type OutboxRow, outboxValues } from "@pay/events";
import type { Tenant } from "@pay/rpc";
import type { Pool, PoolClient } from "pg";
import type { Settlement } from "../domain/settlement.ts";
import { uncovered } from "../domain/wallet.ts";
import { settlements } from "../generated/columns.ts";
import { toJson } from "./hashes.ts";
import { moveRecord } from "./moves.ts";
import { findRecord, listRecords } from "./records.ts";

const COLUMNS = Object.keys(settlements) as (keyof typeof settlements)[];

function uncoveredOr(error: unknown): unknown {
  return getConstraint(error) === "settlements_covered" ? uncovered() : error;
}

const INSERT = insertWithEvent({
  name: "insert-settlement",
  table: "settlements",
  columns: COLUMNS,
});

export async function insertSettlement(
  tx: PoolClient,
  settlement: Settlement,
  event: OutboxRow,
): Promise<void> {
  const row = { ...settlement, other_hashes: toJson(settlement.other_hashes) };
  const values = [...COLUMNS.map((column) => row[column]), ...outboxValues(event)];
  try {
    await tx.query({ ...INSERT, values });
  } catch (error) {
    throw uncoveredOr(error);
  }
}

/** Stores a move; false when the settlement has moved meanwhile. */
export async function moveSettlement(
  db: Pool | PoolClient,
  after: Settlement,
  event: OutboxRow,
): Promise<boolean> {
  try {
    return await moveRecord(db, "settlements", after, event);
  } catch (error) {
    throw uncoveredOr(error);
  }
}

/** A settlement of another tenant is as absent as an unknown one. */
export function findSettlement(
  pool: Pool,
  tenant: Tenant,
  id: string,
): Promise<Settlement | undefined> {
  return findRecord("settlements", pool, tenant, id);
}

export function listSettlements(
  pool: Pool,
  tenant: Tenant,
  query: { page: PageRequest; statuses: string[]; chainId?: bigint | undefined },
): Promise<Page<Settlement>> {
  const { page, statuses, chainId } = query;
  const where = condition("chain_id = ?::bigint", chainId);
  return listRecords("settlements", pool, tenant, { page, statuses, where });
}
