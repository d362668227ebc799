// Which process follows a chain, and how far it is followed. The lease is by the database's clock, so a process that
// ends, hangs or loses its network loses it. The epoch grows with each leader, and every step compares it.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

export interface Cursor {
  epoch: number;
  /** The last block whose transfers are stored; undefined before the first step. */
  head: { number: number; hash: string } | undefined;
  watchedXid: bigint;
  /** Up to this block the chain is final and was read a second time; undefined before the first reading. */
  finalNumber: number | undefined;
}

/** The highest block that a provider named, and when it did. */
export interface SeenTip {
  number: number;
  at: Date;
}

/** Takes or renews the lease; undefined while another process has it. */
export async function leaseCursor(
  pool: Pool,
  {
    tip,
    ...options
  }: { chainId: ChainId; leader: string; leaseMs: number; tip: SeenTip | undefined },
): Promise<Cursor | undefined> {
  const seen = { tipNumber: tip?.number ?? null, tipSeenAt: tip?.at ?? null };
  const [row] = await sql.leaseCursor(pool, { ...options, ...seen });
  if (row === undefined) return undefined;
  const { epoch, head_number, head_hash, watched_xid: watchedXid, final_number } = row;
  const head =
    head_number === null || head_hash === null
      ? undefined
      : { number: Number(head_number), hash: head_hash };
  return {
    epoch,
    head,
    watchedXid,
    finalNumber: final_number === null ? undefined : Number(final_number),
  };
}

export async function releaseCursor(
  pool: Pool,
  options: { chainId: ChainId; leader: string },
): Promise<void> {
  await sql.releaseCursor(pool, options);
}
