import { pageOf } from "@pay/database";
import type { ListSettlementsRequest, Settlement } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { STATUSES } from "../domain/settlement.ts";
import { toSettlementMessage } from "../messages.ts";
import { listSettlements as list } from "../storage/settlements.ts";
import { checkStatuses } from "./check-statuses.ts";

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export async function listSettlements(
  { db }: Deps,
  { tenant, page, statuses, chainId }: ListSettlementsRequest,
): Promise<{ settlements: Settlement[]; total: bigint; nextAfter: string }> {
  checkStatuses(statuses, STATUSES);
  const query = { page: pageOf(page), statuses, chainId };
  const { rows, total, nextAfter } = await list(db.pool, tenantOf(tenant), query);
  return { settlements: rows.map(toSettlementMessage), total: BigInt(total), nextAfter };
}
