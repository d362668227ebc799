// Periodic work on queues: removes idle ones, looks up the endpoints of busy ones, and returns deliveries of endpoints
// that only other workers serve. An endpoint that hangs with all slots taken is looked up when a slot is free.
import { isSlow } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryBuffer } from "./delivery-buffer.ts";
import type { EndpointQueue, EndpointQueues } from "./endpoint-queues.ts";
import type { EndpointRefresh } from "./refresh-endpoints.ts";

const QUEUE_IDLE_MS = 60_000;

export async function refreshQueues(
  parts: {
    queues: EndpointQueues;
    buffer: DeliveryBuffer;
    endpointRefresh: EndpointRefresh;
    returnDeliveries: (deliveries: Delivery[]) => Promise<void>;
  },
  now: number,
): Promise<void> {
  const { queues, buffer, endpointRefresh, returnDeliveries } = parts;
  const all = [...queues.all()];
  for (const queue of all) if (isIdle(queue, now)) queues.forget(queue);
  const busy = all.filter(isBusy);
  const requested = busy.filter((queue) => maySend(queues, queue));
  if (requested.length > 0) await endpointRefresh.lookUp(requested);
  const foreign = takeForeign(queues, busy);
  foreign.forEach(buffer.remove);
  if (foreign.length > 0) await returnDeliveries(foreign);
}

/** Takes deliveries of endpoints that only other workers serve. */
function takeForeign(queues: EndpointQueues, busy: EndpointQueue[]): Delivery[] {
  return busy.filter((queue) => isServedByOthers(queues, queue)).flatMap(queues.takeWaiting);
}

export function isForeign(queues: EndpointQueues, endpointId: string): boolean {
  return isServedByOthers(queues, queues.of(endpointId));
}

/** Whether other workers own all slots of the endpoint; false until it is looked up. */
function isServedByOthers(queues: EndpointQueues, queue: EndpointQueue): boolean {
  return queue.target !== undefined && queue.target !== null && queues.countSlots(queue) === 0;
}

function isBusy({ firsts, retries, inFlight }: EndpointQueue): boolean {
  return firsts.length + retries.length + inFlight > 0;
}

function maySend(queues: EndpointQueues, queue: EndpointQueue): boolean {
  return queue.isStale || !isSlow(queue.pace) || queues.hasFreeSlot(queue);
}

function isIdle({ buffered, targetAt }: EndpointQueue, now: number): boolean {
  return buffered === 0 && now - targetAt > QUEUE_IDLE_MS;
}
