// The transfers to recipients of a tenant, with the subject that each of them pays.
import { condition, type Page, type PageRequest, selectPage } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { toAddress, toCurrency, toTxHash } from "@pay/values";
import type { Pool } from "pg";
import type { FindMerchantTransferRow } from "../../generated/sql.ts";

export interface MerchantTransferFilter {
  page: PageRequest;
  unmatched?: boolean | undefined;
  chainId?: bigint | undefined;
  txHash?: string | undefined;
  sender?: string | undefined;
  currency?: string | undefined;
  status?: string | undefined;
  minedFrom?: Date | undefined;
  minedTo?: Date | undefined;
}

/** The index of transfers by hash begins with the chain. */
const OF_HASH = "chain_id = any(array(select chain_id from chains)) and tx_hash = ?";

export function listMerchantTransfers(
  pool: Pool,
  { projectId, mode }: Tenant,
  { page, unmatched, chainId, ...filter }: MerchantTransferFilter,
): Promise<Page<FindMerchantTransferRow>> {
  return selectPage<FindMerchantTransferRow>(pool, {
    table: "merchant_transfers",
    scope: [...condition("project_id = ?", projectId), ...condition("mode = ?", mode)],
    filter: [
      ...condition("unmatched = ?", unmatched),
      ...condition("chain_id = ?", chainId),
      ...condition(OF_HASH, filter.txHash && toTxHash(filter.txHash)),
      ...condition("created_at >= ?::timestamptz", filter.minedFrom),
      ...condition("created_at <= ?::timestamptz", filter.minedTo),
    ],
    search: [
      ...condition("sender = ?", filter.sender && toAddress(filter.sender)),
      ...condition("currency = ?", filter.currency && toCurrency(filter.currency)),
      ...condition("status = ?", filter.status),
    ],
    page,
  });
}
