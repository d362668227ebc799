import { fromBinary } from "@bufbuild/protobuf";
import { Failure, fromItemFailure } from "@pay/failures";
import { findAnswer, idempotentRequest } from "@pay/idempotency";
import { type CreateRefundRequest, type Refund, type RefundCheck, RefundSchema } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance, type Payment } from "../domain/balance.ts";
import { buildRequestedRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent, toMessage, toPayment } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, openBalance } from "../storage/refunds.ts";
import { writeMessage } from "../storage/write-message.ts";

interface CreateRefundResponse {
  refund: Refund;
  replayed: boolean;
}

/** The payment is read before the transaction, so that no lock is held during a call to another service. */
export async function createRefund(
  deps: Deps,
  request: CreateRefundRequest,
  context: CallContext,
): Promise<CreateRefundResponse> {
  const tenant = parseTenant(request.tenant);
  const idempotent = idempotentRequest(tenant, request.idempotency);
  const earlier = idempotent && (await findAnswer(deps.db.pool, idempotent));
  if (earlier !== undefined) return { refund: fromBinary(RefundSchema, earlier), replayed: true };

  const found = await findPayment(deps, tenant, request, context);
  const { message, replayed } = await writeMessage(deps.db.pool, {
    idempotent,
    schema: RefundSchema,
    work: (tx) => writeRefund(deps, tx, request, found),
  });
  if (!replayed) refundsTotal.inc({ status: "created" });
  deps.relay.wake();
  return { refund: message, replayed };
}

/** A payment, and the result of the check of its refund on the chain. */
interface RefundablePayment {
  payment: Payment;
  check: RefundCheck | undefined;
}

/** A failure is returned and not thrown, because the idempotency key stores it as the response. */
async function findPayment(
  { payments }: Deps,
  tenant: Tenant,
  { paymentId: id, destinationAddress }: CreateRefundRequest,
  context: CallContext,
): Promise<RefundablePayment | Failure> {
  const requests = [
    { tenant, id, forRefund: true, destinationNamed: destinationAddress !== undefined },
  ];
  const { results } = await payments.batchGetPayments({ requests }, { context });
  const { result, refundCheck: check } = results[0] ?? {};
  if (result?.case === "payment") return { payment: toPayment(result.value), check };
  if (result?.case === "failure") return fromItemFailure(result.value);
  throw new Error("payments returned no result");
}

async function writeRefund(
  deps: Deps,
  tx: PoolClient,
  request: CreateRefundRequest,
  found: RefundablePayment | Failure,
): Promise<Refund> {
  if (found instanceof Failure) throw found;
  const { payment, check } = found;
  const now = deps.clock.now();
  const balance = await openBalance(tx, newBalance(payment));
  const { request_id: requestId, ...columns } = refundColumns(request);
  const made = buildRequestedRefund(payment, balance, columns, { ...deps, check, now });
  if (made instanceof Failure) throw made;
  await insertRefund(tx, made.refund, toEvent(CREATED_EVENT, made.refund, now, requestId));
  return toMessage(made.refund);
}
