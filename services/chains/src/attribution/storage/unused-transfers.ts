// Stored transfers that pay nothing yet. They may pay a payment whose submitted hash came to nothing, or that has
// another wallet or more time now. All of them are stored, so no provider is needed.
import type { ChainId } from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";
import { type Watch, watchedSince } from "../domain/watch.ts";
import { type SettledTransfer, toTransfer } from "./rows.ts";

const PAGE = 1_000;

/** Pages of the transfers that arrived in the time of the payments and pay nothing of their tenants. */
export async function* listUnused(
  pool: Pool,
  chainId: ChainId,
  watches: readonly Watch[],
): AsyncGenerator<SettledTransfer[]> {
  const payments = watches.map((watch) => ({
    recipient: watch.recipient,
    currency: watch.currency,
    project_id: watch.projectId,
    mode: watch.mode,
    since: watchedSince(watch),
    until: watch.expiresAt,
  }));
  for (let afterId = 0n; ; ) {
    const rows = await sql.listUnusedTransfers(pool, { chainId, payments, afterId, max: PAGE });
    if (rows.length > 0) yield rows.map(toSettled);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    afterId = last.id;
  }
}

function toSettled(row: sql.ListUnusedTransfersRow): SettledTransfer {
  return {
    ...toTransfer(row),
    blockNumber: Number(row.block_number),
    blockHash: row.block_hash,
    blockTime: row.block_time,
  };
}
