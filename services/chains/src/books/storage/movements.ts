// The records of a tenant within a time, page by page: the rows of a statement. A movement is recorded when its verdict
// is written, so a past time gets no further ones; a revoked proof has none.
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

export type Movement = sql.ListMovementsRow;

/** The last movement of a page. */
export interface Place {
  recordedAt: Date;
  transferId: bigint;
}

const BEGINNING: Place = { recordedAt: new Date(0), transferId: 0n };

export function listMovements(
  pool: Pool,
  { projectId, mode }: Tenant,
  { after = BEGINNING, ...time }: { from: Date; to: Date; after: Place | undefined; limit: number },
): Promise<Movement[]> {
  const { recordedAt: afterTime, transferId: afterTransferId } = after;
  return sql.listMovements(pool, { projectId, mode, ...time, afterTime, afterTransferId });
}
