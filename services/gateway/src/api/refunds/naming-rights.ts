import { Failure } from "@pay/failures";
import { type Caller, checkConfirmed, mayNameDestination } from "../../keys/caller.ts";

/** Requests a refund with the caller's rights to name its destination. A member gets more of them by confirming. */
export async function withNamingRights<T>(
  caller: Caller,
  request: (rights: { anyDestination: boolean }) => Promise<T>,
): Promise<T> {
  try {
    return await request({ anyDestination: mayNameDestination(caller) });
  } catch (error) {
    if (error instanceof Failure && error.errorCode === "refund_destination_forbidden") {
      checkConfirmed(caller);
    }
    throw error;
  }
}
