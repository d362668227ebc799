import { listCost, parsePage } from "@pay/database";
import type { ListSettlementsRequest, Settlement } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { STATUSES } from "../domain/settlement.ts";
import { toSettlementMessage } from "../messages.ts";
import { listSettlements as list } from "../storage/settlements.ts";
import { checkStatuses } from "./list-refunds.ts";

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export async function listSettlements(
  { lists }: Deps,
  request: ListSettlementsRequest,
  { deadline }: CallContext,
): Promise<{ settlements: Settlement[]; total: bigint; nextAfter: string }> {
  const tenant = parseTenant(request.tenant);
  const { statuses, chainId } = request;
  checkStatuses(statuses, STATUSES);
  const page = parsePage(request.page);
  const cost = { rows: listCost(page), deadline };
  const { rows, total, nextAfter } = await lists.take(tenant.projectId, cost, () =>
    list(lists.pool, tenant, { page, statuses, chainId }),
  );
  return { settlements: rows.map(toSettlementMessage), total: BigInt(total), nextAfter };
}
