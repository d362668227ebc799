import { listCost, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  GetSettlementRequest,
  ListSettlementsRequest,
  Settlement as Message,
} from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { type Settlement, STATUSES } from "../domain/settlement.ts";
import { toSettlementMessage } from "../messages.ts";
import { findDestinationCreator } from "../storage/destinations.ts";
import { findSettlement, listSettlements as list } from "../storage/settlements.ts";
import { checkStatuses, toPeriod } from "./read-refunds.ts";

/** The settlement of a tenant; throws where the tenant has none. */
export async function requireSettlement(
  { db }: Deps,
  tenant: Tenant,
  id: string,
): Promise<Settlement> {
  const settlement = await findSettlement(db.pool, tenant, id);
  if (settlement === undefined) throw new Failure("settlement_not_found", "Settlement not found");
  return settlement;
}

export async function getSettlement(
  deps: Deps,
  { tenant: wanted, id, forApproval }: GetSettlementRequest,
): Promise<{ settlement: Message; destinationCreatedBy?: string | undefined }> {
  const tenant = parseTenant(wanted);
  const settlement = await requireSettlement(deps, tenant, id);
  return {
    settlement: toSettlementMessage(settlement),
    destinationCreatedBy: forApproval
      ? await findDestinationCreator(deps.prisma, tenant, settlement)
      : undefined,
  };
}

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export async function listSettlements(
  { lists }: Deps,
  request: ListSettlementsRequest,
  { deadline }: CallContext,
): Promise<{ settlements: Message[]; total: bigint; nextAfter: string }> {
  const tenant = parseTenant(request.tenant);
  checkStatuses(request.statuses, STATUSES);
  const page = parsePage(request.page);
  const cost = { rows: listCost(page), deadline };
  const { rows, total, nextAfter } = await lists.take(tenant.projectId, cost, async (spend) => {
    const found = await list(lists.pool, tenant, { ...request, ...toPeriod(request), page });
    spend(readCost(found.searched));
    return found;
  });
  return { settlements: rows.map(toSettlementMessage), total: BigInt(total), nextAfter };
}
