import { listCost, parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  BatchListRefundsRequest,
  GetRefundRequest,
  ListRefundsRequest,
  Refund as Message,
} from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { STATUSES } from "../domain/refund.ts";
import { toMessage } from "../messages.ts";
import { findPaymentRefunds, findRefund, listRefunds as list } from "../storage/refunds.ts";

export const REFUND_NOT_FOUND = "Refund not found";

export async function getRefund(
  { db }: Deps,
  { tenant, id }: GetRefundRequest,
): Promise<{ refund: Message }> {
  const refund = await findRefund(db.pool, parseTenant(tenant), id);
  if (refund === undefined) throw new Failure("refund_not_found", REFUND_NOT_FOUND);
  return { refund: toMessage(refund) };
}

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export async function listRefunds(
  { lists }: Deps,
  request: ListRefundsRequest,
  { deadline }: CallContext,
): Promise<{ refunds: Message[]; total: bigint; nextAfter: string }> {
  const tenant = parseTenant(request.tenant);
  const page = parsePage(request.page);
  checkStatuses(request.statuses, STATUSES);
  const cost = { rows: listCost(page), deadline };
  const { rows, total, nextAfter } = await lists.take(tenant.projectId, cost, () =>
    list(lists.pool, tenant, { ...request, page }),
  );
  return { refunds: rows.map(toMessage), total: BigInt(total), nextAfter };
}

/** All refunds of several payments, newest first. */
export async function batchListRefunds(
  { db }: Deps,
  { tenant, paymentIds }: BatchListRefundsRequest,
): Promise<{ refunds: Message[] }> {
  const refunds = await findPaymentRefunds(db.pool, parseTenant(tenant), paymentIds);
  return { refunds: refunds.map(toMessage) };
}

export function checkStatuses(statuses: readonly string[], known: readonly string[]): void {
  if (statuses.every((status) => known.includes(status))) return;
  throw new Failure("field_invalid", `status must be one of ${known.join(", ")}`);
}
