// Members who may refund up to limits.
import { Failure } from "@pay/failures";
import { type Caller, findRefundLimits } from "../../keys/caller.ts";
import type { Call } from "../../pipeline/route.ts";

/** As the refunds service takes them; undefined for who has none. */
export function toLimits(caller: Caller) {
  const limits = findRefundLimits(caller)?.map(({ chainId, ...limit }) => ({
    chainId: BigInt(chainId),
    ...limit,
  }));
  return limits && { limits };
}

/** Refunds of others are beyond the limits. */
export async function checkRequester({
  caller,
  params,
  services,
}: Pick<Call, "caller" | "params" | "services">): Promise<void> {
  if (findRefundLimits(caller) === undefined) return;
  const { refund } = await services.refunds.getRefund({ id: params.id });
  if (refund?.requestedBy === caller.actor) return;
  throw new Failure(
    "scope_missing",
    "Your role lacks the scope refunds:write, which refunds of others need",
  );
}
