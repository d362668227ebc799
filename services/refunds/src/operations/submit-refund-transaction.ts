import type { Refund, SubmitRefundTransactionRequest } from "@pay/proto";
import { Failure, tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { submission, TRANSITIONS } from "../domain/refund.ts";
import { findRefund, submitTransaction } from "../storage.ts";
import { toEvent, toMessage } from "../wire.ts";
import { REFUND_NOT_FOUND } from "./get-refund.ts";

const TRIES_MAX = 4;

/** Takes the hash; the verdict on it comes from the chain. Decided again when the refund moved meanwhile. */
export const submitRefundTransaction = async (
  { db, clock, relay }: Deps,
  request: SubmitRefundTransactionRequest,
): Promise<{ refund: Refund }> => {
  const tenant = tenantOf(request.tenant);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const refund = await findRefund(db.pool, tenant, request.id);
    if (refund === undefined) throw new Failure("not_found", REFUND_NOT_FOUND);
    const result = submission(refund, request.txHash);
    if (result.kind === "malformed") throw new Failure("invalid_argument", result.message);
    if (result.kind === "refused") throw new Failure("failed_precondition", result.message);
    if (result.kind === "unchanged") return { refund: toMessage(refund) };
    const { event: type } = TRANSITIONS.submit;
    const event = toEvent(type, result.refund, clock.now(), request.requestId);
    if (await submitTransaction(db.pool, result.refund, event)) {
      relay.wake();
      return { refund: toMessage(result.refund) };
    }
  }
  throw new Failure("unavailable", "The refund is changing too quickly");
};
