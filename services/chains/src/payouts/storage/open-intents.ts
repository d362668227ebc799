// Questions about all intents that have not ended, whatever their wallet.
import type { Pool } from "pg";
import type { Intent } from "../domain/intent.ts";
import { type IntentRow, toIntent } from "./intents.ts";

const OVERDUE = {
  name: "list-overdue-intents",
  text: `
    select * from intents where state = 'waiting' and created_at < $1
    order by created_at limit $2`,
};

/** Those that were never signed, the oldest first. */
export async function listOverdue(
  pool: Pool,
  { before, max }: { before: Date; max: number },
): Promise<Intent[]> {
  const { rows } = await pool.query<IntentRow>({ ...OVERDUE, values: [before, max] });
  return rows.map(toIntent);
}

const OPEN = {
  name: "sample-open-intents",
  text: `
    select chain_id::text as chain, coalesce(held_reason, 'none') as reason, count(*)::int as count,
      coalesce(extract(epoch from clock_timestamp() - min(created_at) filter (where mined_tx_hash is null)), 0)::float8 as oldest
    from intents where state in ('waiting', 'signed') group by 1, 2`,
};

export interface OpenSample {
  chain: string;
  /** none: nothing holds them. */
  reason: string;
  count: number;
  /** Seconds; 0 where all are mined. */
  oldest: number;
}

export async function sampleOpen(pool: Pool): Promise<OpenSample[]> {
  return (await pool.query<OpenSample>(OPEN)).rows;
}

const FROZEN = {
  name: "count-frozen-signers",
  text: `
    select chain_id::text as chain, count(frozen_at)::int as count from signers group by 1`,
};

export async function countFrozen(pool: Pool): Promise<{ chain: string; count: number }[]> {
  return (await pool.query<{ chain: string; count: number }>(FROZEN)).rows;
}
