// The statement of a move, alike for refunds and settlements: the guard (each change of a status counts the version up), the
// columns that moves set, and the outbox row. A column is named in the domain alone.
import { parameters, typedParameters } from "@pay/database";
import { OUTBOX_COLUMNS, OUTBOX_TYPES, type OutboxRow, outboxValues } from "@pay/events";
import type { Pool, PoolClient } from "pg";
import * as refunds from "../domain/refund.ts";
import * as settlements from "../domain/settlement.ts";
import { toJson } from "./hashes.ts";
import type { Records } from "./records.ts";

const MOVED: { [Table in keyof Records]: readonly (keyof Records[Table] & string)[] } = {
  refunds: refunds.MOVED,
  settlements: settlements.MOVED,
};

const GUARD = 4;

function moveIn(table: keyof Records, alsoChanges = ""): { name: string; text: string } {
  const columns = MOVED[table];
  return {
    name: `move-in-${table}`,
    text: `
      with moved as (
        update ${table} set (${columns.join(", ")}) = row(${parameters(columns.length, GUARD + 1)})
        where id = $1 and project_id = $2 and mode = $3 and version = $4 - 1
        returning *
      )${alsoChanges}
      insert into outbox (${OUTBOX_COLUMNS})
      select ${typedParameters(OUTBOX_TYPES, GUARD + columns.length + 1)} from moved`,
  };
}

const MOVE = {
  refunds: moveIn(
    "refunds",
    `, balance as (
        update refund_balances as balance set
          completed = completed + case when completed_at is null then 0 else base_amount end,
          reserved = reserved - case when completed_at is null then base_amount else 0 end
        from moved where balance.project_id = moved.project_id and balance.payment_id = moved.payment_id
      )`,
  ),
  settlements: moveIn("settlements"),
};

/** Stores what became of a record; the sums of a refund's payment follow. False when it has moved meanwhile. */
export async function moveRecord<Table extends keyof Records>(
  db: Pool | PoolClient,
  table: Table,
  after: Records[Table],
  event: OutboxRow,
): Promise<boolean> {
  const { id, project_id, mode, version } = after;
  const row = { ...after, other_hashes: toJson(after.other_hashes) };
  const columns: readonly (keyof Records[Table])[] = MOVED[table];
  const values = [...columns.map((column) => row[column]), ...outboxValues(event)];
  const { rowCount } = await db.query({
    ...MOVE[table],
    values: [id, project_id, mode, version, ...values],
  });
  return rowCount === 1;
}
