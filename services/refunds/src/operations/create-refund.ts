import { fromBinary } from "@bufbuild/protobuf";
import { Failure, fromItemFailure } from "@pay/failures";
import { findAnswer, idempotentRequest } from "@pay/idempotency";
import { type CreateRefundRequest, type Refund, type RefundCheck, RefundSchema } from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { newBalance, type Payment } from "../domain/balance.ts";
import { requestedRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundColumns, toEvent, toMessage, toPayment } from "../messages.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, openBalance } from "../storage/refunds.ts";
import { writeMessage } from "../storage/write-message.ts";

interface Answer {
  refund: Refund;
  replayed: boolean;
}

/** The payment is read before the transaction, so that no lock is held during a call to another service. */
export async function createRefund(
  deps: Deps,
  request: CreateRefundRequest,
  context: CallContext,
): Promise<Answer> {
  const tenant = parseTenant(request.tenant);
  const idempotent = idempotentRequest(tenant, request.idempotency);
  const earlier = idempotent && (await findAnswer(deps.db.pool, idempotent));
  if (earlier !== undefined) return { refund: fromBinary(RefundSchema, earlier), replayed: true };

  const found = await findPayment(deps, tenant, request, context);
  const { message, replayed } = await writeMessage(deps.db.pool, {
    idempotent,
    schema: RefundSchema,
    work: (tx) => open(deps, tx, request, found),
  });
  if (!replayed) refundsTotal.inc({ status: "created" });
  deps.relay.wake();
  return { refund: message, replayed };
}

/** A payment, and what the chain says against a refund of it. */
interface Found {
  payment: Payment;
  check: RefundCheck | undefined;
}

/** The payment, or why there is none: that too is an answer, to be kept under the key. */
async function findPayment(
  { payments }: Deps,
  tenant: Tenant,
  { paymentId: id, destinationAddress }: CreateRefundRequest,
  context: CallContext,
): Promise<Found | Failure> {
  const requests = [
    { tenant, id, forRefund: true, destinationNamed: destinationAddress !== undefined },
  ];
  const { results } = await payments.batchGetPayments({ requests }, { context });
  const { result, refundCheck: check } = results[0] ?? {};
  if (result?.case === "payment") return { payment: toPayment(result.value), check };
  if (result?.case === "failure") return fromItemFailure(result.value);
  throw new Error("payments answered with nothing");
}

async function open(
  deps: Deps,
  tx: PoolClient,
  request: CreateRefundRequest,
  found: Found | Failure,
): Promise<Refund> {
  if (found instanceof Failure) throw found;
  const { payment, check } = found;
  const now = deps.clock.now();
  const balance = await openBalance(tx, newBalance(payment));
  const { request_id: requestId, ...given } = refundColumns(request);
  const opened = requestedRefund(payment, balance, given, { ...deps, check, now });
  if (opened instanceof Failure) throw opened;
  await insertRefund(tx, opened.refund, toEvent(CREATED_EVENT, opened.refund, now, requestId));
  return toMessage(opened.refund);
}
