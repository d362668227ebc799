import { type Condition, condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";

export interface Records {
  refunds: Refund;
  settlements: Settlement;
}

/** A page of refunds or settlements of a tenant. */
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
