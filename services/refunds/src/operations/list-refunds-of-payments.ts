import type { BatchListRefundsRequest, Refund } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findRefundsOf } from "../storage/refunds.ts";

/** All refunds of several payments at once, newest first. */
export async function listRefundsOfPayments(
  { db }: Deps,
  { tenant, paymentIds }: BatchListRefundsRequest,
): Promise<{ refunds: Refund[] }> {
  const refunds = await findRefundsOf(db.pool, tenantOf(tenant), paymentIds);
  return { refunds: refunds.map(toMessage) };
}
