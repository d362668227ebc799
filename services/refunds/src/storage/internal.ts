// Queries that name no tenant: verdicts of the chain and the time-out concern records of many projects in one list. No
// answer to a caller is made from them.
import { bigints } from "@pay/database";
import type { Pool, PoolClient } from "pg";
import type { Balance } from "../domain/balance.ts";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";
import type { Records } from "./records.ts";

// Balances first, as in every transaction here, and in one order, so that no two wait for each other in a circle.
const LOCK_BALANCES = {
  name: "lock-balances",
  text: `
    select * from refund_balances
    where payment_id in (select payment_id from refunds where id = any($1))
    order by payment_id for update`,
};

function lockIn(table: keyof Records) {
  return {
    name: `lock-${table}`,
    text: `select * from ${table} where id = any($1) order by id for update`,
  };
}

const LOCK = { refunds: lockIn("refunds"), settlements: lockIn("settlements") };

async function lock<Table extends keyof Records>(
  tx: PoolClient,
  table: Table,
  ids: string[],
): Promise<Map<string, Records[Table]>> {
  const options = { types: bigints, values: [ids] };
  const { rows } = await tx.query<Records[Table]>({ ...LOCK[table], ...options });
  return new Map(rows.map((record) => [record.id, record]));
}

/** Refunds and the sums of their payments, under lock until the transaction ends. */
export async function lockRefunds(
  tx: PoolClient,
  ids: string[],
): Promise<{ refunds: Map<string, Refund>; balances: Map<string, Balance> }> {
  const options = { types: bigints, values: [ids] };
  const balances = await tx.query<Balance>({ ...LOCK_BALANCES, ...options });
  return {
    refunds: await lock(tx, "refunds", ids),
    balances: new Map(balances.rows.map((balance) => [balance.payment_id, balance])),
  };
}

/** Settlements by id, under lock until the transaction ends. */
export function lockSettlements(tx: PoolClient, ids: string[]): Promise<Map<string, Settlement>> {
  return lock(tx, "settlements", ids);
}

const FIND_OVERDUE = {
  refunds: {
    name: "find-overdue-refunds",
    text: `
      select id from refunds where status = 'created' and tx_hash is null and not service_signed and created_at < $1
      order by created_at limit $2`,
  },
  settlements: {
    name: "find-overdue-settlements",
    text: `
      select id from settlements where status = 'approved' and tx_hash is null and not service_signed and approved_at < $1
      order by approved_at limit $2`,
  },
};

/** Records whose transaction was not submitted in time, oldest first. */
export async function findOverdue(
  pool: Pool,
  table: keyof Records,
  { before, most }: { before: Date; most: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    ...FIND_OVERDUE[table],
    values: [before, most],
  });
  return rows.map(({ id }) => id);
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
