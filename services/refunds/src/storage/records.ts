// Reads that refunds and settlements have in common.
import {
  bigints,
  type Condition,
  condition,
  type Page,
  type PageRequest,
  selectPage,
} from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";

export interface Records {
  refunds: Refund;
  settlements: Settlement;
}

function findIn(table: keyof Records) {
  return {
    name: `find-in-${table}`,
    text: `select * from ${table} where id = $1 and project_id = $2 and mode = $3`,
  };
}

const FIND = { refunds: findIn("refunds"), settlements: findIn("settlements") };

/** A record of another tenant is as absent as an unknown one. */
export async function findRecord<Table extends keyof Records>(
  table: Table,
  pool: Pool,
  { projectId, mode }: Tenant,
  id: string,
): Promise<Records[Table] | undefined> {
  const values = [id, projectId, mode];
  const { rows } = await pool.query<Records[Table]>({ ...FIND[table], types: bigints, values });
  return rows[0];
}

export function listRecords<Table extends keyof Records>(
  table: Table,
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, statuses, where }: { page: PageRequest; statuses: string[]; where: Condition[] },
): Promise<Page<Records[Table]>> {
  // Empty: all.
  const filter = statuses.length === 0 ? [] : condition("status = any(?::text[])", statuses);
  const isKept = table === "refunds" && where.length === 0;
  return selectPage<Records[Table]>(pool, {
    table,
    scope: [
      ...condition("project_id = ?", projectId),
      ...condition("mode = ?::smallint", mode),
      ...where,
    ],
    filter,
    kept: isKept ? { table: "refund_totals", column: "refunds", filter } : undefined,
    page,
  });
}
