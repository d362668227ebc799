import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Refund, SubmitRefundTransactionRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { submission, TRANSITIONS } from "../domain/refund.ts";
import { toEvent, toMessage } from "../messages.ts";
import { changeRefundHashes, findRefund } from "../storage/refunds.ts";
import { REFUND_NOT_FOUND } from "./get-refund.ts";

/** Takes the hash; the verdict on it comes from the chain. Decided again when the refund moved meanwhile. */
export async function submitRefundTransaction(
  { db, clock, relay }: Deps,
  request: SubmitRefundTransactionRequest,
): Promise<{ refund: Refund }> {
  const tenant = parseTenant(request.tenant);
  return retryOnStaleVersion("refund", async () => {
    const refund = await findRefund(db.pool, tenant, request.id);
    if (refund === undefined) throw new Failure("refund_not_found", REFUND_NOT_FOUND);
    const result = submission(refund, request.txHash, request.payoutWallets.map(toAddress));
    if (result instanceof Failure) throw result;
    if (result.kind === "unchanged") return { refund: toMessage(refund) };
    const { event: type, from } = TRANSITIONS.submit;
    const { record: after } = result;
    const event = toEvent(type, after, clock.now(), request.requestId);
    if (!(await changeRefundHashes(db.pool, refund, after, { from, event }))) return undefined;
    relay.wake();
    return { refund: toMessage(after) };
  });
}
