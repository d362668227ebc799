// SQL of the history of endpoints. Triggers write it, with the key that the transaction names; it is only read here.
import { transaction } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { ClientBase, Pool } from "pg";

const TOTAL_MAX = 10_000;

/** Changes endpoints in the name of a key, which the history then tells. */
export function changeEndpoint<T>(
  pool: Pool,
  changedBy: string,
  change: (tx: ClientBase) => Promise<T>,
): Promise<T> {
  return transaction(pool, async (tx) => {
    await tx.query("select set_config('webhooks.changed_by', $1, true)", [changedBy]);
    return change(tx);
  });
}

export interface StoredChange {
  change: string;
  url: string | null;
  happened_at: Date;
  changed_by: string | null;
}

const LIST = {
  name: "list-endpoint-changes",
  text: `
    with own as (
      select id, change, url, happened_at, changed_by from endpoint_changes
      where endpoint_id = $1 and project_id = $2 and mode = $3 order by id desc limit ${TOTAL_MAX}
    )
    select (select count(*)::int from own) as total, page.* from (select) one
    left join (select * from own order by id desc limit $4 offset $5) page on true
    order by page.id desc`,
};

/** Newest first. The total stops at a bound. */
export async function listChanges(
  pool: Pool,
  { projectId, mode }: Tenant,
  { endpointId, limit, offset }: { endpointId: string; limit: number; offset: number },
): Promise<{ rows: StoredChange[]; total: number }> {
  const { rows } = await pool.query<StoredChange & { id: string | null; total: number }>({
    ...LIST,
    values: [endpointId, projectId, mode, limit, offset],
  });
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}
