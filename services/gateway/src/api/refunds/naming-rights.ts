import { Failure } from "@pay/failures";
import {
  type Caller,
  checkConfirmed,
  findRefundLimits,
  mayNameDestination,
} from "../../keys/caller.ts";

/** Requests a refund with the caller's rights to name its destination. A member gets more of them by confirming. */
export async function withNamingRights<T>(
  caller: Caller,
  request: (rights: { anyDestination: boolean }) => Promise<T>,
): Promise<T> {
  try {
    return await request({ anyDestination: mayNameDestination(caller) });
  } catch (error) {
    const isForbidden =
      error instanceof Failure && error.errorCode === "refund_destination_forbidden";
    // Who has limits gets no more by it.
    if (isForbidden && findRefundLimits(caller) === undefined) checkConfirmed(caller);
    throw error;
  }
}
