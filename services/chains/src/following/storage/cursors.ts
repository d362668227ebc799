// Who follows a chain, and how far it is followed. The right to follow is a lease in the row, by the database's clock: a
// process that ends, hangs or loses its network loses it, and nothing has to notice that. The epoch grows with each new
// leader; every step compares it, so a leader that does not know of its end writes nothing.
import { bigints } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";

export interface Cursor {
  epoch: number;
  /** The last block whose transfers are stored; undefined before the first step. */
  head: { number: number; hash: string } | undefined;
  watchedXid: bigint;
  /** Up to this block the chain is final and was read a second time; undefined before the first reading. */
  finalNumber: number | undefined;
}

interface CursorRow {
  epoch: number;
  head_number: bigint | null;
  head_hash: string | null;
  watched_xid: bigint;
  final_number: bigint | null;
}

const LEASE = {
  name: "lease-cursor",
  text: `
    insert into cursors as c (chain_id, epoch, leader, leased_until)
    values ($1, 1, $2, clock_timestamp() + $3 * interval '1 millisecond')
    on conflict (chain_id) do update set leader = $2, leased_until = excluded.leased_until,
      epoch = c.epoch + case when c.leader = $2 then 0 else 1 end
    where c.leader = $2 or c.leader is null or c.leased_until < clock_timestamp()
    returning epoch, head_number, head_hash, watched_xid, final_number`,
};

/** Takes or renews the lease; undefined while another process has it. */
export async function leaseCursor(
  pool: Pool,
  { chainId, leader, leaseMs }: { chainId: ChainId; leader: string; leaseMs: number },
): Promise<Cursor | undefined> {
  const values = [chainId, leader, leaseMs];
  const { rows } = await pool.query<CursorRow>({ ...LEASE, types: bigints, values });
  const [row] = rows;
  if (row === undefined) return undefined;
  const { epoch, head_number, head_hash, watched_xid: watchedXid } = row;
  const head =
    head_number === null || head_hash === null
      ? undefined
      : { number: Number(head_number), hash: head_hash };
  const finalNumber = row.final_number === null ? undefined : Number(row.final_number);
  return { epoch, head, watchedXid, finalNumber };
}

const RELEASE = {
  name: "release-cursor",
  text: "update cursors set leader = null where chain_id = $1 and leader = $2",
};

export async function releaseCursor(
  pool: Pool,
  { chainId, leader }: { chainId: ChainId; leader: string },
): Promise<void> {
  await pool.query({ ...RELEASE, values: [chainId, leader] });
}
