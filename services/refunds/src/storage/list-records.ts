import { type Condition, condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { toCurrency } from "@pay/values";
import type { Pool } from "pg";
import type { Refund } from "../domain/refund.ts";
import type { Settlement } from "../domain/settlement.ts";

export interface Records {
  refunds: Refund;
  settlements: Settlement;
}

/** The filters that both lists have. */
export interface RecordQuery {
  page: PageRequest;
  /** Empty: all. */
  statuses: string[];
  chainId?: bigint | undefined;
  currency?: string | undefined;
  createdFrom?: Date | undefined;
  createdTo?: Date | undefined;
  toSign?: boolean | undefined;
}

/**
 * A wallet of the merchant has to sign. The planner sees the condition of the tenant's index alone: with all of them it
 * would read the index of refunds that wait in every tenant.
 */
const TO_SIGN = {
  refunds: `status <> 'completed' and case when status = 'created' and tx_hash is null
    and destination_address <> '' and not service_signed then true else false end`,
  settlements: `status = 'approved' and tx_hash is null and not service_signed`,
};

/** A page of refunds or settlements of a tenant; `own` bounds it to a part of them. */
export function listRecords<Table extends keyof Records>(
  table: Table,
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, statuses, toSign, ...query }: RecordQuery,
  own: readonly Condition[] = [],
): Promise<Page<Records[Table]>> {
  const { chainId, currency, createdFrom, createdTo } = query;
  const withStatus = condition(
    "status = any(?::text[])",
    statuses.length === 0 ? undefined : statuses,
  );
  const where = [
    ...condition("created_at >= ?::timestamptz", createdFrom),
    ...condition("created_at <= ?::timestamptz", createdTo),
    ...(toSign === undefined
      ? []
      : [{ text: toSign ? TO_SIGN[table] : `not (${TO_SIGN[table]})`, values: [] }]),
  ];
  const isKept = table === "refunds" && own.length + where.length === 0;
  return selectPage<Records[Table]>(pool, {
    table,
    scope: [
      ...condition("project_id = ?", projectId),
      ...condition("mode = ?::smallint", mode),
      ...own,
    ],
    filter: [...where, ...withStatus],
    search: [
      ...condition("chain_id = ?::bigint", chainId),
      ...condition("lower(currency) = ?", currency && toCurrency(currency)),
    ],
    kept: isKept ? { table: "refund_totals", column: "refunds", filter: withStatus } : undefined,
    page,
  });
}
