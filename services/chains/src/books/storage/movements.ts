// What was recorded for a tenant within a time, page by page. A movement is recorded when its verdict is written, so a time
// that has passed gets no further ones; what a reorganisation has taken back is in none.
import { bigints } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { FindCountedTransfersRow } from "../../generated/sql.ts";

export interface Movement extends Omit<FindCountedTransfersRow, "confirmed_at"> {
  recorded_at: Date;
  transfer_id: bigint;
  chain_id: bigint;
  currency: string;
  decimals: number;
}

/** Where a page ended. */
export interface Place {
  recordedAt: Date;
  transferId: bigint;
}

const LIST = {
  name: "list-movements",
  text: `
    select a.subject_id, a.created_at as recorded_at, a.transfer_id, t.chain_id, t.currency,
      coalesce(k.decimals, c.native_decimals)::integer as decimals, t.tx_hash, t.kind, t.ordinal, t.sender,
      t.recipient, t.value, t.block_number, t.block_time
    from allocations a join transfers t on t.id = a.transfer_id
      join chains c on c.chain_id = t.chain_id
      left join tokens k on k.chain_id = t.chain_id and k.address = t.currency
    where a.project_id = $1 and a.mode = $2::smallint and a.created_at >= $3 and a.created_at < $4
      and (a.created_at, a.transfer_id) > ($5::timestamptz, $6::bigint) and t.status <> 'orphaned'
    order by a.created_at, a.transfer_id limit $7`,
};

export async function listMovements(
  pool: Pool,
  { projectId, mode }: Tenant,
  { from, to, after, limit }: { from: Date; to: Date; after: Place | undefined; limit: number },
): Promise<Movement[]> {
  const { recordedAt = new Date(0), transferId = 0n } = after ?? {};
  const values = [projectId, mode, from, to, recordedAt, transferId, limit];
  const { rows } = await pool.query<Movement>({ ...LIST, types: bigints, values });
  return rows;
}
