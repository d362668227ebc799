import { retryOnStaleVersion } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Refund, SetRefundDestinationRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { DESTINATION_EVENT, setDestination } from "../domain/refund.ts";
import { toEvent, toMessage } from "../messages.ts";
import { storeDestination } from "../storage/refunds.ts";
import { requireRefund } from "./read-refunds.ts";

/** Decided again when the refund has moved in the meantime. */
export async function setRefundDestination(
  deps: Deps,
  { tenant: wanted, requestId, id, destinationAddress }: SetRefundDestinationRequest,
): Promise<{ refund: Refund }> {
  const { db, clock, relay } = deps;
  const tenant = parseTenant(wanted);
  return retryOnStaleVersion("refund", async () => {
    const refund = await requireRefund(deps, tenant, id);
    const result = setDestination(refund, destinationAddress);
    if (result instanceof Failure) throw result;
    if (result.kind === "unchanged") return { refund: toMessage(refund) };
    const event = toEvent(DESTINATION_EVENT, result.refund, clock.now(), requestId);
    if (!(await storeDestination(db.pool, result.refund, event))) return undefined;
    relay.wake();
    return { refund: toMessage(result.refund) };
  });
}
