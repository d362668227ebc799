// The refund of a payment that its merchant declared refunded (Variant B). The balance remembers the declaration, so
// that the request and the event of it create one refund, whichever comes first.
import { create } from "@bufbuild/protobuf";
import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import { type CreateDeclaredRefundRequest, CreateRefundRequestSchema } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import { newId } from "@pay/values";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance } from "../domain/balance.ts";
import { buildDeclaredRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, markDeclared, openBalance, sumReturned } from "../storage/refunds.ts";
import { findPayment, type RefundablePayment } from "./find-payment.ts";

export interface Declaration extends RefundablePayment {
  declaredAt: Date;
  requestId: string;
}

/** So that who declared a payment refunded can read the refund at once. */
export async function createDeclaredRefund(
  deps: Deps,
  { tenant: owner, paymentId: id, requestId }: CreateDeclaredRefundRequest,
  context: CallContext,
): Promise<object> {
  const tenant = parseTenant(owner);
  const found = await findPayment(deps, { tenant, id }, context);
  if (found instanceof Failure) throw found;
  const { refundDeclared, refundedAt: declaredAt } = found.payment;
  if (!refundDeclared || declaredAt === undefined) {
    throw new Failure("payment_not_refundable", "Payment is not declared refunded");
  }
  const declaration = { ...found, declaredAt, requestId };
  await transaction(deps.db.pool, (tx) => writeDeclaredRefund(deps, declaration, tx));
  deps.relay.wake();
  return {};
}

/** Nothing where the declaration has its refund, or where nothing is left. */
export async function writeDeclaredRefund(
  deps: Deps,
  { payment, check, declaredAt: at, requestId }: Declaration,
  tx: PoolClient,
): Promise<void> {
  const balance = await openBalance(tx, newBalance(payment));
  if (balance.declared_at?.getTime() === at.getTime()) return;
  await markDeclared(tx, balance, at);
  const returned = await sumReturned(tx, balance);
  const {
    request_id: _,
    any_destination: __,
    ...request
  } = refundColumns(create(CreateRefundRequestSchema, { paymentId: payment.id }));
  const declaration = { ...deps, check, returned, id: newId("refund", at.getTime()), at, request };
  const made = buildDeclaredRefund(payment, balance, declaration);
  if (made === undefined) return;
  await insertRefund(tx, made.refund, toEvent(CREATED_EVENT, made.refund, at, requestId));
  refundsTotal.inc({ status: made.refund.status });
}
