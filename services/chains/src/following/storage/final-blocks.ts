// What is final of the followed chain. A transfer that was seen becomes final, or orphaned where its block is not the one
// of the final chain; the proofs that stood on it are taken back in the same transaction.
import { transaction } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import type { SettledTransfer } from "../../attribution/storage/final-transfers.ts";
import { revokeProofs } from "../../attribution/storage/revoked-proofs.ts";
import type { Cursor } from "./cursors.ts";

export interface Place {
  number: number;
  hash: string;
}

const UNSETTLED = {
  name: "list-unsettled-blocks",
  text: `
    (select distinct block_number, block_hash from transfers
      where chain_id = $1 and status = 'seen' and block_number <= $2
      order by block_number limit $3)
    union all
    (select distinct block_number, block_hash from transfers
      where chain_id = $1 and status = 'seen' and block_number > $2
      order by block_number desc limit $3)`,
};

/** Blocks with transfers that are not final yet: the oldest up to that height, and the newest above it. */
export async function listUnsettledBlocks(
  pool: Pool,
  { chainId, height, max }: { chainId: ChainId; height: number; max: number },
): Promise<Place[]> {
  const { rows } = await pool.query<{ block_number: string; block_hash: string }>({
    ...UNSETTLED,
    values: [chainId, height, max],
  });
  return rows.map((row) => ({ number: Number(row.block_number), hash: row.block_hash }));
}

const SETTLE = {
  name: "settle-transfers",
  text: `
    update transfers t set status = p.status
    from unnest($2::bigint[], $3::text[], $4::text[]) as p (number, hash, status)
    where t.chain_id = $1 and t.status = 'seen' and t.block_number = p.number and t.block_hash = p.hash
    returning (t.status = 'orphaned') as is_orphaned`,
};

export interface Settled {
  orphaned: number;
  /** Payments that are not confirmed any more. */
  unproven: string[];
}

export function writeSettled(
  pool: Pool,
  options: { chainId: ChainId; final: readonly Place[]; gone: readonly Place[]; now: Date },
): Promise<Settled> {
  const { chainId, final, gone, now } = options;
  const places = [...final, ...gone];
  const values = [
    chainId,
    places.map(({ number }) => number),
    places.map(({ hash }) => hash),
    places.map((_, at) => (at < final.length ? "final" : "orphaned")),
  ];
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ is_orphaned: boolean }>({ ...SETTLE, values });
    const unproven = await revokeProofs(tx, { chainId, now });
    return { orphaned: rows.filter((row) => row.is_orphaned).length, unproven };
  });
}

const UNKNOWN = {
  name: "count-unknown-transfers",
  text: `
    select count(*)::int as n
    from unnest($2::text[], $3::text[], $4::integer[]) as t (tx_hash, kind, ordinal)
    where not exists (select from transfers k where k.chain_id = $1 and k.tx_hash = t.tx_hash
      and k.kind = t.kind and k.ordinal = t.ordinal)`,
};

/** How many of them are not stored. */
export async function countUnknown(
  pool: Pool,
  chainId: ChainId,
  transfers: readonly SettledTransfer[],
): Promise<number> {
  if (transfers.length === 0) return 0;
  const values = [
    chainId,
    transfers.map(({ txHash }) => txHash),
    transfers.map(({ kind }) => kind),
    transfers.map(({ ordinal }) => ordinal),
  ];
  const { rows } = await pool.query<{ n: number }>({ ...UNKNOWN, values });
  return rows[0]?.n ?? 0;
}

const MARK_FINAL = {
  name: "mark-final",
  text: `
    update cursors set final_number = $4
    where chain_id = $1 and leader = $2 and epoch = $3
      and (final_number is null or final_number < $4)`,
};

export async function markFinal(
  pool: Pool,
  options: { chainId: ChainId; leader: string; cursor: Cursor; number: number },
): Promise<void> {
  const { chainId, leader, cursor, number } = options;
  await pool.query({ ...MARK_FINAL, values: [chainId, leader, cursor.epoch, number] });
}
