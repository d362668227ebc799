// The transfers to recipients of a tenant, with the subject that each of them pays.
import { condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { FindMerchantTransferRow } from "../../generated/sql.ts";

export interface MerchantTransferFilter {
  page: PageRequest;
  unmatched: boolean | undefined;
  chainId: bigint | undefined;
}

export function listMerchantTransfers(
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, unmatched, chainId }: MerchantTransferFilter,
): Promise<Page<FindMerchantTransferRow>> {
  return selectPage<FindMerchantTransferRow>(pool, {
    table: "merchant_transfers",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?", mode)],
    filter: [...condition("unmatched = ?", unmatched), ...condition("chain_id = ?", chainId)],
    page,
  });
}
