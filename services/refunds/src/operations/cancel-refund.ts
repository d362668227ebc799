import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CancelRefundRequest, Refund } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import { applyRefundMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import * as domain from "../domain/refund.ts";
import { toMessage } from "../messages.ts";
import { lockRefunds } from "../storage/cross-tenant.ts";
import { requireRefund } from "./read-refunds.ts";

/** Decided under lock, because the amount is free again. What the service sends, chains ends before. */
export async function cancelRefund(
  deps: Deps,
  { tenant: wanted, requestId, id }: CancelRefundRequest,
): Promise<{ refund: Refund }> {
  const { db, clock, relay } = deps;
  const tenant = parseTenant(wanted);
  const isUnsendable = domain.isSentByService(await requireRefund(deps, tenant, id));
  if (isUnsendable) await cancelIntent(deps, { tenant, requestId, subjectId: id });
  const refund = await transaction(db.pool, async (tx) => {
    const locked = await lockRefunds(tx, [{ projectId: tenant.projectId, resourceId: id }]);
    const before = locked.refunds.get(id) as domain.Refund;
    const balance = locked.balances.get(before.payment_id) as Balance;
    const result = domain.cancel(before, balance, { isUnsendable });
    if (result instanceof Failure) throw result;
    if (result.kind === "unchanged") return before;
    await applyRefundMove(tx, result.moved, { now: clock.now(), requestId });
    return result.moved.refund;
  });
  relay.wake();
  return { refund: toMessage(refund) };
}

async function cancelIntent(
  { chains }: Deps,
  request: { tenant: Tenant; requestId: string; subjectId: string },
): Promise<void> {
  const { isKnown, isEnded } = await chains.cancelIntent(request);
  if (!isKnown) {
    throw new Failure("service_unavailable", "The refund is being handed to its signer; retry");
  }
  if (!isEnded) {
    throw new Failure(
      "refund_service_signed",
      "The service has signed the transaction of the refund, so it cannot be cancelled",
    );
  }
}
