// The final part of the followed chain. A seen transfer becomes final, or orphaned where the final chain has another
// block; their wallets are decided again.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import type { SettledTransfer } from "../../verification/domain/transaction.ts";
import type { Cursor } from "./cursors.ts";

export interface Place {
  number: number;
  hash: string;
}

/** Blocks with transfers that are not final: the oldest up to that height, and the newest above it. */
export async function listPendingBlocks(
  pool: Pool,
  options: { chainId: ChainId; height: number; max: number },
): Promise<Place[]> {
  const rows = await sql.listPendingBlocks(pool, options);
  return rows.map((row) => ({ number: Number(row.block_number), hash: row.block_hash }));
}

export async function finalizeBlocks(
  pool: Pool,
  options: { chainId: ChainId; final: readonly Place[]; gone: readonly Place[]; now: Date },
): Promise<{ orphaned: number }> {
  const { chainId, final, gone, now } = options;
  const blocks = [
    ...final.map((block) => ({ ...block, status: "final" })),
    ...gone.map((block) => ({ ...block, status: "orphaned" })),
  ];
  const rows = await sql.finalizeTransfers(pool, { chainId, blocks, now });
  return { orphaned: rows.filter((row) => row.is_orphaned).length };
}

/** How many of them concern a tenant and are not stored. */
export async function countUnknown(
  pool: Pool,
  chainId: ChainId,
  transfers: readonly SettledTransfer[],
): Promise<number> {
  if (transfers.length === 0) return 0;
  const [row] = await sql.countUnknownTransfers(pool, {
    chainId,
    transfers: transfers.map((transfer) => ({
      tx_hash: transfer.txHash,
      kind: transfer.kind,
      ordinal: transfer.ordinal,
      recipient: transfer.recipient,
      currency: transfer.currency,
      block_time: transfer.blockTime,
      reference: transfer.reference ?? null,
    })),
  });
  return row?.count ?? 0;
}

export async function markFinal(
  pool: Pool,
  {
    cursor: { epoch },
    ...place
  }: { chainId: ChainId; leader: string; cursor: Cursor; number: number },
): Promise<void> {
  await sql.markFinal(pool, { ...place, epoch });
}
