// The final part of the followed chain. A seen transfer becomes final, or orphaned where the final chain has another
// block; proofs that rest on an orphaned one are revoked in the same transaction.
import { transaction } from "@pay/database";
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import { revokeProofs } from "../../attribution/storage/revoked-proofs.ts";
import type { SettledTransfer } from "../../attribution/storage/rows.ts";
import * as sql from "../../generated/sql.ts";
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

export interface Finalized {
  orphaned: number;
  /** Payments that are not confirmed any more. */
  unproven: string[];
}

export function finalizeBlocks(
  pool: Pool,
  options: { chainId: ChainId; final: readonly Place[]; gone: readonly Place[]; now: Date },
): Promise<Finalized> {
  const { chainId, final, gone, now } = options;
  const blocks = [
    ...final.map((block) => ({ ...block, status: "final" })),
    ...gone.map((block) => ({ ...block, status: "orphaned" })),
  ];
  return transaction(pool, async (tx) => {
    const rows = await sql.finalizeTransfers(tx, { chainId, blocks });
    const unproven = await revokeProofs(tx, { chainId, now });
    return { orphaned: rows.filter((row) => row.is_orphaned).length, unproven };
  });
}

/** How many of them are not stored. */
export async function countUnknown(
  pool: Pool,
  chainId: ChainId,
  transfers: readonly SettledTransfer[],
): Promise<number> {
  if (transfers.length === 0) return 0;
  const [row] = await sql.countUnknownTransfers(pool, {
    chainId,
    transfers: transfers.map(({ txHash, kind, ordinal }) => ({ tx_hash: txHash, kind, ordinal })),
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
