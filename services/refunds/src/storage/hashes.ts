// Submitted hashes of refunds and settlements, and their verdicts while the record itself stays as it is. The statements
// change no sums, so they need no lock; they are guarded by the hashes they were decided on.
import { OUTBOX_COLUMNS, type OutboxRow, outboxValues } from "@pay/events";
import type { Pool, PoolClient } from "pg";
import type { OtherHash } from "../domain/hashes.ts";
import type { Claimed } from "../domain/verdict.ts";

/** pg would write a list as an array of its own kind. */
export function toJson(hashes: OtherHash[] | null): string | null {
  return hashes && JSON.stringify(hashes);
}

/** Columns of one table only that a submission sets, besides those that both have. */
const SET_BESIDES = { refunds: ", payout_wallets = $16", settlements: "" };

function changeIn(table: keyof typeof SET_BESIDES) {
  return {
    name: `change-hashes-of-${table}`,
    text: `
      with changed as (
        update ${table} set tx_hash = $7, other_hashes = $8, held_reason = $9${SET_BESIDES[table]}
        where id = $1 and project_id = $2 and mode = $3 and status = any($4)
          and tx_hash is not distinct from $5 and other_hashes is not distinct from $6::jsonb
        returning id
      )
      insert into outbox (${OUTBOX_COLUMNS})
      select $10::text, $11::text, $12::text, $13::text, $14::text, $15::bytea from changed`,
  };
}

const CHANGES = { refunds: changeIn("refunds"), settlements: changeIn("settlements") };

type Hashed = Claimed & { id: string };

export interface HashChange {
  table: keyof typeof CHANGES;
  /** The statuses in which the hashes may change. */
  from: readonly string[];
  before: Hashed;
  after: Hashed;
  event: OutboxRow;
}

/** False when the record has moved or has other hashes meanwhile. */
export async function changeHashes(db: Pool | PoolClient, change: HashChange): Promise<boolean> {
  const { table, from, before, after, event } = change;
  const { rowCount } = await db.query({
    ...CHANGES[table],
    values: [
      before.id,
      before.project_id,
      before.mode,
      from,
      before.tx_hash,
      toJson(before.other_hashes),
      after.tx_hash,
      toJson(after.other_hashes),
      after.held_reason,
      ...outboxValues(event),
      ...(table === "refunds" ? [after.payout_wallets] : []),
    ],
  });
  return rowCount === 1;
}
