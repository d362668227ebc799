import { timestampDate } from "@bufbuild/protobuf/wkt";
import { listCost, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  BatchListRefundsRequest,
  GetRefundRequest,
  ListRefundsRequest,
  Refund as Message,
} from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { type Refund, STATUSES } from "../domain/refund.ts";
import { toMessages } from "../messages.ts";
import {
  findPaymentRefunds,
  findRefund,
  findReorged,
  listRefunds as list,
} from "../storage/refunds.ts";

export async function getRefund(
  deps: Deps,
  { tenant: wanted, id }: GetRefundRequest,
): Promise<{ refund: Message }> {
  const tenant = parseTenant(wanted);
  const refund = await requireRefund(deps, tenant, id);
  const [message] = await show(deps, tenant, [refund]);
  return { refund: message as Message };
}

/** The refund of a tenant; throws where the tenant has none. */
export async function requireRefund({ db }: Deps, tenant: Tenant, id: string): Promise<Refund> {
  const refund = await findRefund(db.pool, tenant, id);
  if (refund === undefined) throw new Failure("refund_not_found", "Refund not found");
  return refund;
}

async function show({ db }: Deps, tenant: Tenant, refunds: Refund[]): Promise<Message[]> {
  return toMessages(refunds, await findReorged(db.pool, tenant, refunds));
}

/** Newest first, ids breaking ties; the page and its total are of one snapshot. */
export async function listRefunds(
  deps: Deps,
  request: ListRefundsRequest,
  { deadline }: CallContext,
): Promise<{ refunds: Message[]; total: bigint; nextAfter: string }> {
  const { lists } = deps;
  const tenant = parseTenant(request.tenant);
  const page = parsePage(request.page);
  checkStatuses(request.statuses, STATUSES);
  const cost = { rows: listCost(page), deadline };
  const { rows, total, nextAfter } = await lists.take(tenant.projectId, cost, async (spend) => {
    const found = await list(lists.pool, tenant, { ...request, ...toPeriod(request), page });
    spend(readCost(found.searched));
    return found;
  });
  return { refunds: await show(deps, tenant, rows), total: BigInt(total), nextAfter };
}

/** All refunds of several payments, newest first. */
export async function batchListRefunds(
  deps: Deps,
  { tenant: wanted, paymentIds }: BatchListRefundsRequest,
): Promise<{ refunds: Message[] }> {
  const tenant = parseTenant(wanted);
  const refunds = await findPaymentRefunds(deps.db.pool, tenant, paymentIds);
  return { refunds: await show(deps, tenant, refunds) };
}

export function toPeriod({
  createdFrom,
  createdTo,
}: Pick<ListRefundsRequest, "createdFrom" | "createdTo">) {
  return {
    createdFrom: createdFrom && timestampDate(createdFrom),
    createdTo: createdTo && timestampDate(createdTo),
  };
}

export function checkStatuses(statuses: readonly string[], known: readonly string[]): void {
  if (statuses.every((status) => known.includes(status))) return;
  throw new Failure("field_invalid", `status must be one of ${known.join(", ")}`);
}
