import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { findAnswer, idempotently, idempotentRequest, transaction } from "@pay/database";
import { type CreateRefundRequest, type Refund, RefundSchema } from "@pay/proto";
import { type CallContext, Failure, fromItemFailure, type Tenant, tenantOf } from "@pay/rpc";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { isRefusal, newBalance, type Payment } from "../domain/balance.ts";
import { wishedRefund } from "../domain/new-refund.ts";
import { CREATED_EVENT } from "../domain/refund.ts";
import { refundsTotal } from "../metrics.ts";
import { insertRefund, openBalance } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";

interface Answer {
  refund: Refund;
  replayed: boolean;
}

/** The payment is asked for before the transaction: no lock is held while another service thinks. */
export const createRefund = async (
  deps: Deps,
  request: CreateRefundRequest,
  context: CallContext,
): Promise<Answer> => {
  const tenant = tenantOf(request.tenant);
  const idempotent = idempotentRequest(tenant, request.idempotency);
  const earlier = idempotent && (await findAnswer(deps.db.pool, idempotent));
  if (earlier !== undefined) return answer(earlier, true);

  const payment = await findPayment(deps, tenant, request.paymentId, context);
  const work = async (tx: PoolClient) =>
    toBinary(RefundSchema, await open(deps, tx, request, payment));
  const { response, replayed } =
    idempotent === undefined
      ? { response: await transaction(deps.db.pool, work), replayed: false }
      : await idempotently(deps.db.pool, idempotent, work);
  if (!replayed) refundsTotal.inc({ status: "created" });
  deps.relay.wake();
  return answer(response, replayed);
};

const answer = (response: Uint8Array, replayed: boolean): Answer => ({
  refund: fromBinary(RefundSchema, response),
  replayed,
});

/** The payment, or why there is none: that too is an answer, to be kept under the key. */
const findPayment = async (
  { payments }: Deps,
  tenant: Tenant,
  id: string,
  context: CallContext,
): Promise<Payment | Failure> => {
  const { results } = await payments.batchGetPayments({ requests: [{ tenant, id }] }, { context });
  const result = results[0]?.result;
  if (result?.case === "payment") return result.value;
  if (result?.case === "failure") return fromItemFailure(result.value);
  throw new Error("payments answered with nothing");
};

const open = async (
  deps: Deps,
  tx: PoolClient,
  request: CreateRefundRequest,
  payment: Payment | Failure,
): Promise<Refund> => {
  if (payment instanceof Failure) throw payment;
  const now = deps.clock.now();
  const balance = await openBalance(tx, newBalance(payment));
  const { sharedAddresses } = deps;
  const opened = wishedRefund(payment, balance, request, { sharedAddresses, now });
  if (isRefusal(opened)) throw new Failure(opened.kind, opened.message);
  await insertRefund(
    tx,
    opened.refund,
    toEvent(CREATED_EVENT, opened.refund, now, request.requestId),
  );
  return toMessage(opened.refund);
};
