import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Refund, SubmitRefundTransactionRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toAddress } from "@pay/values";
import type { Deps } from "../deps.ts";
import { submitTransaction, TRANSITIONS } from "../domain/refund.ts";
import { toEvent, toMessage } from "../messages.ts";
import { changeRefundHashes } from "../storage/refunds.ts";
import { requireRefund } from "./read-refunds.ts";

/** Stores the hash; the verdict comes from the chain. Decided again when the refund has moved in the meantime. */
export async function submitRefundTransaction(
  deps: Deps,
  request: SubmitRefundTransactionRequest,
): Promise<{ refund: Refund }> {
  const { db, clock, relay } = deps;
  const tenant = parseTenant(request.tenant);
  return retryOnStaleVersion("refund", async () => {
    const refund = await requireRefund(deps, tenant, request.id);
    const result = submitTransaction(refund, request.txHash, request.payoutWallets.map(toAddress));
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
