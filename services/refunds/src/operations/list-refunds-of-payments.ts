import type { BatchListRefundsRequest, Refund } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findPaymentRefunds } from "../storage/refunds.ts";

/** All refunds of several payments at once, newest first. */
export async function listRefundsOfPayments(
  { db }: Deps,
  { tenant, paymentIds }: BatchListRefundsRequest,
): Promise<{ refunds: Refund[] }> {
  const refunds = await findPaymentRefunds(db.pool, parseTenant(tenant), paymentIds);
  return { refunds: refunds.map(toMessage) };
}
