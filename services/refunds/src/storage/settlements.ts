// Settlements of a tenant. Every change is one statement that also writes its outbox row; triggers keep the sums of the
// paying wallet and refuse what the wallet does not cover.
import { condition, constraintOf, type Page, type PageRequest } from "@pay/database";
import { insertWithEvent, OUTBOX_COLUMNS, type OutboxRow, outboxValues } from "@pay/events";
import type { Tenant } from "@pay/rpc";
import type { Pool, PoolClient } from "pg";
import type { Settlement, Trigger } from "../domain/settlement.ts";
import { TRANSITIONS } from "../domain/settlement.ts";
import { uncovered } from "../domain/wallet.ts";
import { settlements } from "../generated/columns.ts";
import { jsonOf } from "./hashes.ts";
import { findRecord, listRecords } from "./records.ts";

const COLUMNS = Object.keys(settlements) as (keyof typeof settlements)[];

function uncoveredOr(error: unknown): unknown {
  return constraintOf(error) === "settlements_covered" ? uncovered() : error;
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
  const row = { ...settlement, other_hashes: jsonOf(settlement.other_hashes) };
  const values = [...COLUMNS.map((column) => row[column]), ...outboxValues(event)];
  try {
    await tx.query({ ...INSERT, values });
  } catch (error) {
    throw uncoveredOr(error);
  }
}

const MOVE = {
  name: "move-settlement",
  text: `
    with moved as (
      update settlements set status = $6, tx_hash = $7, other_hashes = $8, block_number = $9,
        failure_reason = $10, held_reason = $11, approved_by = $12, approved_at = $13,
        completed_at = $14, version = $4
      where id = $1 and project_id = $2 and mode = $3 and version = $4 - 1 and status = any($5)
      returning id
    )
    insert into outbox (${OUTBOX_COLUMNS})
    select $15::text, $16::text, $17::text, $18::text, $19::text, $20::bytea from moved`,
};

/** Stores a move; false when the settlement has moved meanwhile. */
export async function moveSettlement(
  db: Pool | PoolClient,
  change: { trigger: Trigger; after: Settlement; event: OutboxRow },
): Promise<boolean> {
  const { trigger, after, event } = change;
  const values = [
    ...[after.id, after.project_id, after.mode, after.version, TRANSITIONS[trigger].from],
    ...[after.status, after.tx_hash, jsonOf(after.other_hashes), after.block_number],
    ...[after.failure_reason, after.held_reason, after.approved_by, after.approved_at],
    ...[after.completed_at, ...outboxValues(event)],
  ];
  try {
    const { rowCount } = await db.query({ ...MOVE, values });
    return rowCount === 1;
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
