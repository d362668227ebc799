import { Failure } from "@pay/failures";
import type { GetSettlementRequest, Settlement as Message } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import type { Settlement } from "../domain/settlement.ts";
import { toSettlementMessage } from "../messages.ts";
import { findSettlement } from "../storage/settlements.ts";

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
  { tenant, id }: GetSettlementRequest,
): Promise<{ settlement: Message }> {
  return {
    settlement: toSettlementMessage(await requireSettlement(deps, parseTenant(tenant), id)),
  };
}
