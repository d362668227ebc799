import { fromBinary } from "@bufbuild/protobuf";
import { Failure } from "@pay/failures";
import { findAnswer, idempotentRequest } from "@pay/idempotency";
import { type CreateRefundRequest, type Refund, RefundSchema } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance } from "../domain/balance.ts";
import { checkLimits } from "../domain/limit.ts";
import { buildRequestedRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT, type Refund as StoredRefund } from "../domain/refund.ts";
import { refundColumns, toEvent, toMessage } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { findNamed } from "../storage/destinations.ts";
import { insertRefund, openBalance, sumRequested, sumReturned } from "../storage/refunds.ts";
import { writeMessage } from "../storage/write-message.ts";
import { findPayment, type RefundablePayment } from "./find-payment.ts";

interface CreateRefundResponse {
  refund: Refund;
  replayed: boolean;
}

export async function createRefund(
  deps: Deps,
  request: CreateRefundRequest,
  context: CallContext,
): Promise<CreateRefundResponse> {
  const tenant = parseTenant(request.tenant);
  const idempotent = idempotentRequest(tenant, request.idempotency);
  const earlier = idempotent && (await findAnswer(deps.db.pool, idempotent));
  if (earlier !== undefined) return { refund: fromBinary(RefundSchema, earlier), replayed: true };

  const found = await findPayment(deps, { tenant, id: request.paymentId }, context);
  const { message, replayed } = await writeMessage(deps.db.pool, {
    idempotent,
    schema: RefundSchema,
    work: (tx) => writeRefund(deps, tx, { request, tenant, found }),
  });
  if (!replayed) refundsTotal.inc({ status: "created" });
  deps.relay.wake();
  return { refund: message, replayed };
}

async function writeRefund(
  deps: Deps,
  tx: PoolClient,
  {
    request,
    tenant,
    found,
  }: { request: CreateRefundRequest; tenant: Tenant; found: RefundablePayment | Failure },
): Promise<Refund> {
  if (found instanceof Failure) throw found;
  const { payment, check } = found;
  const now = deps.clock.now();
  const balance = await openBalance(tx, newBalance(payment));
  const {
    request_id: requestId,
    any_destination: anyDestination,
    ...columns
  } = refundColumns(request);
  const returned = await sumReturned(tx, balance);
  const { chainId } = payment;
  const entry = await findNamed(tx, tenant, { chainId, address: columns.destination_address });
  const facts = { ...deps, check, returned, entry, anyDestination, now };
  const made = buildRequestedRefund(payment, balance, columns, facts);
  if (made instanceof Failure) throw made;
  await checkRequester(tx, request, made.refund);
  await insertRefund(tx, made.refund, toEvent(CREATED_EVENT, made.refund, now, requestId));
  return toMessage(made.refund);
}

async function checkRequester(
  tx: PoolClient,
  { limits, requestedBy }: CreateRefundRequest,
  refund: StoredRefund,
): Promise<void> {
  if (limits === undefined) return;
  if (requestedBy === undefined) throw new Error("limits are those of a person");
  const requested = await sumRequested(tx, { ...refund, requested_by: requestedBy });
  const beyond = checkLimits(limits.limits, refund, requested);
  if (beyond !== undefined) throw beyond;
}
