import type { GetRefundRequest, Refund } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findRefund } from "../storage.ts";
import { toMessage } from "../wire.ts";

export const REFUND_NOT_FOUND = "Refund not found";

export const getRefund = async (
  { db }: Deps,
  { tenant, id }: GetRefundRequest,
): Promise<{ refund: Refund }> => {
  const refund = await findRefund(db.pool, tenantOf(tenant), id);
  if (refund === undefined) throw new Failure("not_found", REFUND_NOT_FOUND);
  return { refund: toMessage(refund) };
};
