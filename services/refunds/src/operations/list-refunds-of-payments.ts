import type { BatchListRefundsRequest, Refund } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findRefundsOf } from "../storage.ts";
import { toMessage } from "../wire.ts";

/** All refunds of several payments at once, newest first. */
export const listRefundsOfPayments = async (
  { db }: Deps,
  { tenant, paymentIds }: BatchListRefundsRequest,
): Promise<{ refunds: Refund[] }> => {
  const refunds = await findRefundsOf(db.pool, tenantOf(tenant), paymentIds);
  return { refunds: refunds.map(toMessage) };
};
