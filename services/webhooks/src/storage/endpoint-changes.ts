// SQL of the history of endpoints. Triggers write it; it is only read here.
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";

const TOTAL_MAX = 10_000;

export interface StoredChange {
  change: string;
  url: string | null;
  happened_at: Date;
}

const LIST = {
  name: "list-endpoint-changes",
  text: `
    with own as (
      select id, change, url, happened_at from endpoint_changes
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
