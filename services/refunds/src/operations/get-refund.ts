import { Failure } from "@pay/failures";
import type { GetRefundRequest, Refund } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toMessage } from "../messages.ts";
import { findRefund } from "../storage/refunds.ts";

export const REFUND_NOT_FOUND = "Refund not found";

export async function getRefund(
  { db }: Deps,
  { tenant, id }: GetRefundRequest,
): Promise<{ refund: Refund }> {
  const refund = await findRefund(db.pool, parseTenant(tenant), id);
  if (refund === undefined) throw new Failure("refund_not_found", REFUND_NOT_FOUND);
  return { refund: toMessage(refund) };
}
