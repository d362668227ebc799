// Queries across tenants: verdicts of the chain and the time-out concern records of many projects in one list, each named
// with its project. No answer to a caller is made from them.
import { bigints } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import type { Balance } from "../domain/balance.ts";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Records } from "./records.ts";

/** A record of any project. */
export interface RecordName {
  projectId: string;
  id: string;
}

const NAMED = "unnest($1::text[], $2::text[]) as named (project_id, id)";

function buildValues(names: readonly RecordName[]): string[][] {
  return [names.map(({ projectId }) => projectId), names.map(({ id }) => id)];
}

// Balances first, as in every transaction here, and in one order, so that no two wait for each other in a circle.
const LOCK_BALANCES = {
  name: "lock-balances",
  text: `
    select * from refund_balances
    where (project_id, payment_id) in (
      select refunds.project_id, payment_id from ${NAMED} join refunds using (project_id, id)
    )
    order by payment_id for update`,
};

function lockIn(table: keyof Records) {
  return {
    name: `lock-${table}`,
    text: `
      select record.* from ${NAMED} join ${table} record using (project_id, id)
      order by record.id for update of record`,
  };
}

const LOCK = { refunds: lockIn("refunds"), settlements: lockIn("settlements") };

async function lock<Table extends keyof Records>(
  tx: PoolClient,
  table: Table,
  names: readonly RecordName[],
): Promise<Map<string, Records[Table]>> {
  const options = { types: bigints, values: buildValues(names) };
  const { rows } = await tx.query<Records[Table]>({ ...LOCK[table], ...options });
  return new Map(rows.map((record) => [record.id, record]));
}

/** Refunds and the sums of their payments, under lock until the transaction ends. */
export async function lockRefunds(
  tx: PoolClient,
  names: readonly RecordName[],
): Promise<{ refunds: Map<string, Refund>; balances: Map<string, Balance> }> {
  const options = { types: bigints, values: buildValues(names) };
  const balances = await tx.query<Balance>({ ...LOCK_BALANCES, ...options });
  return {
    refunds: await lock(tx, "refunds", names),
    balances: new Map(balances.rows.map((balance) => [balance.payment_id, balance])),
  };
}

/** Settlements by id, under lock until the transaction ends. */
export function lockSettlements(
  tx: PoolClient,
  names: readonly RecordName[],
): Promise<Map<string, Settlement>> {
  return lock(tx, "settlements", names);
}

const FIND_OVERDUE = {
  refunds: {
    name: "find-overdue-refunds",
    text: `
      select project_id as "projectId", id from refunds where status = 'created' and tx_hash is null and not service_signed and created_at < $1
      order by created_at limit $2`,
  },
  settlements: {
    name: "find-overdue-settlements",
    text: `
      select project_id as "projectId", id from settlements where status = 'approved' and tx_hash is null and not service_signed and approved_at < $1
      order by approved_at limit $2`,
  },
};

/** Records whose transaction was not submitted in time, oldest first. */
export async function findOverdue(
  pool: Pool,
  table: keyof Records,
  { before, most }: { before: Date; most: number },
): Promise<RecordName[]> {
  const { rows } = await pool.query<RecordName>({
    ...FIND_OVERDUE[table],
    values: [before, most],
  });
  return rows;
}

const COUNT_MAX = 10_000;

const COUNT_HELD = {
  name: "count-held",
  text: `
    select
      (select count(*)::int from (
        select from refunds where status = 'created' and held_reason is not null limit ${COUNT_MAX}) as r) as refunds,
      (select count(*)::int from (
        select from settlements where status = 'approved' and held_reason is not null limit ${COUNT_MAX}) as s) as settlements,
      (select count(*)::int from (
        select from wallet_balances where credited < reserved_refunds + settled limit ${COUNT_MAX}) as w) as wallets`,
};

/** Records that wait although a transaction has moved their money, and wallets of which more was promised than arrived. */
export interface Watched {
  refunds: number;
  settlements: number;
  wallets: number;
}

export async function countWatched(pool: Pool): Promise<Watched> {
  const { rows } = await pool.query<Watched>(COUNT_HELD);
  return rows[0] as Watched;
}
