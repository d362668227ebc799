import { splitTrace, withTrace } from "@pay/process";
import type { BusRecord } from "../bus/bus.ts";

/** Gives an event the trace of its record: the bytes of an event have the request's id alone. */
export function continueTrace<E extends { requestId: string }>(
  { requestId }: Pick<BusRecord, "requestId">,
  event: E,
): E {
  event.requestId = withTrace(event.requestId, splitTrace(requestId).traceparent);
  return event;
}
