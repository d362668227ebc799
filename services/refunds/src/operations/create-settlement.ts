import { Failure } from "@pay/failures";
import { idempotentRequest } from "@pay/idempotency";
import { type CreateSettlementRequest, type Settlement, SettlementSchema } from "@pay/proto";
import { parseChain, parseTenant, type Tenant } from "@pay/rpc";
import { toAddress, toCurrency } from "@pay/values";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { buildSettlement } from "../domain/new-settlement.ts";
import { REQUESTED_EVENT } from "../domain/settlement.ts";
import { settlementColumns, toSettlementEvent, toSettlementMessage } from "../messages.ts";
import { settlementsTotal } from "../metrics.ts";
import { findDestination } from "../storage/destinations.ts";
import { insertSettlement } from "../storage/settlements.ts";
import { lockWallet } from "../storage/wallets.ts";
import { writeMessage } from "../storage/write-message.ts";

export async function createSettlement(
  deps: Deps,
  request: CreateSettlementRequest,
): Promise<{ settlement: Settlement; replayed: boolean }> {
  const tenant = parseTenant(request.tenant);
  const { message, replayed } = await writeMessage(deps.db.pool, {
    idempotent: idempotentRequest(tenant, request.idempotency),
    schema: SettlementSchema,
    work: (tx) => writeSettlement(deps, tx, tenant, request),
  });
  if (!replayed) settlementsTotal.inc({ status: message.status });
  deps.relay.wake();
  return { settlement: message, replayed };
}

async function writeSettlement(
  { clock, isServiceSigned }: Deps,
  tx: PoolClient,
  tenant: Tenant,
  request: CreateSettlementRequest,
): Promise<Settlement> {
  const { request_id: requestId, ...columns } = settlementColumns(request);
  const now = clock.now();
  const chainId = parseChain(request.chainId);
  const destination = await findDestination(tx, tenant, {
    chainId,
    address: toAddress(request.destinationAddress),
  });
  const wallet = await lockWallet(tx, tenant, {
    chainId,
    currency: toCurrency(request.currency),
    sourceAddress: toAddress(request.sourceAddress),
  });
  const settlement = buildSettlement(tenant, columns, {
    wallet,
    destination,
    isServiceSigned,
    now,
  });
  if (settlement instanceof Failure) throw settlement;
  const event = toSettlementEvent(REQUESTED_EVENT, settlement, now, requestId);
  await insertSettlement(tx, settlement, event);
  return toSettlementMessage(settlement);
}
