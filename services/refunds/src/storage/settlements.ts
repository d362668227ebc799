// Settlements of a tenant. Every change is one statement that also writes its outbox row; triggers keep the sums of the
// paying wallet and refuse what the wallet does not cover.
import {
  bigints,
  condition,
  constraintOf,
  type Page,
  type PageRequest,
  parameters,
  selectPage,
} from "@pay/database";
import { OUTBOX_COLUMNS, type OutboxRow, outboxValues } from "@pay/events";
import type { Tenant } from "@pay/rpc";
import type { Pool, PoolClient } from "pg";
import type { Settlement, Trigger } from "../domain/settlement.ts";
import { TRANSITIONS } from "../domain/settlement.ts";
import { uncovered } from "../domain/wallet.ts";
import { settlements } from "../generated/columns.ts";
import { jsonOf } from "./hashes.ts";

const COLUMNS = Object.keys(settlements) as (keyof typeof settlements)[];

function uncoveredOr(error: unknown): unknown {
  return constraintOf(error) === "settlements_covered" ? uncovered() : error;
}

const INSERT = {
  name: "insert-settlement",
  text: `
    with opened as (
      insert into settlements (${COLUMNS.join(", ")}) values (${parameters(COLUMNS.length, 1)})
    )
    insert into outbox (${OUTBOX_COLUMNS}) values (${parameters(6, COLUMNS.length + 1)})`,
};

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

const FIND = {
  name: "find-settlement",
  text: "select * from settlements where id = $1 and project_id = $2 and mode = $3",
};

/** A settlement of another tenant is as absent as an unknown one. */
export async function findSettlement(
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<Settlement | undefined> {
  const values = [id, projectId, mode];
  const { rows } = await pool.query<Settlement>({ ...FIND, types: bigints, values });
  return rows[0];
}

export function listSettlements(
  pool: Pool,
  { projectId, mode }: Tenant,
  query: { page: PageRequest; statuses: string[]; chainId?: bigint | undefined },
): Promise<Page<Settlement>> {
  const { page, statuses, chainId } = query;
  return selectPage<Settlement>(pool, {
    table: "settlements",
    scope: [
      ...condition("project_id = ?", projectId),
      ...condition("mode = ?::smallint", mode),
      ...condition("chain_id = ?::bigint", chainId),
    ],
    filter: statuses.length === 0 ? [] : condition("status = any(?::text[])", statuses),
    page,
  });
}
