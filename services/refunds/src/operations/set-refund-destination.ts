import { retryOnStaleVersion, transaction } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Refund, SetRefundDestinationRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { DESTINATION_EVENT, setDestination } from "../domain/refund.ts";
import { toEvent, toMessage } from "../messages.ts";
import { findNamed } from "../storage/destinations.ts";
import { storeDestination } from "../storage/refunds.ts";
import { requireRefund } from "./read-refunds.ts";

/** Decided again when the refund has moved in the meantime. */
export async function setRefundDestination(
  deps: Deps,
  request: SetRefundDestinationRequest,
): Promise<{ refund: Refund }> {
  const { db, clock, relay } = deps;
  const { requestId, id, destinationAddress: address, anyDestination } = request;
  const tenant = parseTenant(request.tenant);
  return retryOnStaleVersion("refund", async () => {
    const refund = await requireRefund(deps, tenant, id);
    const { chain_id: chainId } = refund;
    const now = clock.now();
    const after = await transaction(db.pool, async (tx) => {
      const entry = await findNamed(tx, tenant, { chainId, address });
      const result = setDestination(refund, address, { entry, anyDestination, now });
      if (result instanceof Failure) throw result;
      if (result.kind === "unchanged") return refund;
      const event = toEvent(DESTINATION_EVENT, result.refund, now, requestId);
      return (await storeDestination(tx, result.refund, event)) ? result.refund : undefined;
    });
    if (after === undefined) return undefined;
    relay.wake();
    return { refund: toMessage(after) };
  });
}
