import type { MessageInitShape } from "@bufbuild/protobuf";
import { type IdempotentRequest, idempotentRequest, sameRequest } from "@pay/database";
import type { RefundPaymentRequest, RefundPaymentResponseSchema } from "@pay/proto";
import { Failure, type Tenant, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { move, TRANSITIONS } from "../domain/payment.ts";
import { findByKeys, findPayments, movePayments } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";
import { PAYMENT_NOT_FOUND } from "./get-payments.ts";

const TRIES_MAX = 4;
const NO_PAYER = "Payment has no known payer; POST /v1/refunds refunds it to a destinationAddress";

type Response = MessageInitShape<typeof RefundPaymentResponseSchema>;

/** The merchant declares the payment refunded; the refunds service opens the record that waits for the money. */
export const refundPayment = async (
  deps: Deps,
  request: RefundPaymentRequest,
): Promise<Response> => {
  const tenant = tenantOf(request.tenant);
  const key = idempotentRequest(tenant, request.idempotency);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const answer = (await replayOf(deps, key)) ?? (await refundOnce(deps, tenant, request, key));
    if (answer !== undefined) return answer;
  }
  throw new Failure("unavailable", "The payment is changing too quickly");
};

const replayOf = async (
  deps: Deps,
  key: IdempotentRequest | undefined,
): Promise<Response | undefined> => {
  if (key === undefined) return undefined;
  const [earlier] = await findByKeys(deps.db.pool, [key]);
  if (earlier === undefined) return undefined;
  sameRequest(earlier.fingerprint, key.fingerprint);
  return { payment: toMessage(earlier.payment), replayed: true };
};

/** Undefined when the payment moved between reading and writing. */
const refundOnce = async (
  deps: Deps,
  tenant: Tenant,
  request: RefundPaymentRequest,
  key: IdempotentRequest | undefined,
): Promise<Response | undefined> => {
  const [payment] = await findPayments(deps.db.pool, [{ tenant, id: request.id }]);
  if (payment === undefined) throw new Failure("not_found", PAYMENT_NOT_FOUND);
  const now = deps.clock.now();
  const refunded = move(payment, "refund", { refunded_at: now, refund_declared: true });
  if (refunded === undefined) {
    // A racer under the same key may have made it so since the key was looked up.
    const earlier = await replayOf(deps, key);
    if (earlier !== undefined) return earlier;
    throw new Failure("failed_precondition", "Only confirmed payments can be refunded");
  }
  // Nobody would know where the money goes: the record that follows could never be opened.
  if (!payment.payer_address && !payment.sender_address)
    throw new Failure("failed_precondition", NO_PAYER);
  const event = toEvent(TRANSITIONS.refund.event, refunded, now, request.requestId);
  const done = await movePayments(deps.db.pool, [{ payment: refunded, event, key }]);
  deps.relay.wake();
  return done.has(refunded.id) ? { payment: toMessage(refunded), replayed: false } : undefined;
};
