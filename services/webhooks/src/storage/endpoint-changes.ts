// History of endpoints. Triggers write it with the API key that the transaction names.
import { transaction } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";
import * as statements from "../generated/sql.ts";

/** Changes endpoints for an API key, which the history names. */
export function changeEndpoint<T>(
  pool: Pool,
  changedBy: string,
  change: (tx: ClientBase) => Promise<T>,
): Promise<T> {
  return transaction(pool, async (tx) => {
    await statements.setChangedBy(tx, { changedBy });
    return change(tx);
  });
}

/** Newest first. */
export async function listEndpointChanges(
  pool: Pool,
  { projectId, mode }: Tenant,
  page: { endpointId: string; limit: number; offset: number },
): Promise<{ rows: statements.ListEndpointChangesRow[]; total: number }> {
  const rows = await statements.listEndpointChanges(pool, { ...page, projectId, mode });
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}
