import { transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { CancelRefundRequest, Refund } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { applyRefundMove } from "../apply-moves.ts";
import type { Deps } from "../deps.ts";
import type { Balance } from "../domain/balance.ts";
import * as domain from "../domain/refund.ts";
import { toMessage } from "../messages.ts";
import { lockRefunds } from "../storage/cross-tenant.ts";
import { requireRefund } from "./read-refunds.ts";

/** Decided under lock, because the amount is free again. */
export async function cancelRefund(
  deps: Deps,
  { tenant: wanted, requestId, id }: CancelRefundRequest,
): Promise<{ refund: Refund }> {
  const { db, clock, relay } = deps;
  const tenant = parseTenant(wanted);
  await requireRefund(deps, tenant, id);
  const refund = await transaction(db.pool, async (tx) => {
    const locked = await lockRefunds(tx, [{ projectId: tenant.projectId, resourceId: id }]);
    const before = locked.refunds.get(id) as domain.Refund;
    const balance = locked.balances.get(before.payment_id) as Balance;
    const result = domain.cancel(before, balance);
    if (result instanceof Failure) throw result;
    if (result.kind === "unchanged") return before;
    await applyRefundMove(tx, result.moved, { now: clock.now(), requestId });
    return result.moved.refund;
  });
  relay.wake();
  return { refund: toMessage(refund) };
}
