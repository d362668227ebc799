// What happens to queues from time to time: idle ones are forgotten, the endpoints of busy ones are looked up, and what
// waits for endpoints that other workers serve goes back to the table. An endpoint that hangs with all its slots taken can
// be sent nothing for seconds, so it is looked up when one of them is free: any number of them costs the others nothing.
import { isSlow } from "../domain/pacing.ts";
import type { Delivery } from "./delivery.ts";
import type { EndpointQueue, EndpointQueues } from "./endpoint-queues.ts";
import type { HeldDeliveries } from "./held-deliveries.ts";
import type { EndpointRefresh } from "./refresh-endpoints.ts";

const QUEUE_IDLE_MS = 60_000;

export async function refreshQueues(
  parts: {
    queues: EndpointQueues;
    held: HeldDeliveries;
    endpointRefresh: EndpointRefresh;
    handBack: (deliveries: Delivery[]) => Promise<void>;
  },
  now: number,
): Promise<void> {
  const { queues, held, endpointRefresh, handBack } = parts;
  const all = [...queues.all()];
  for (const queue of all) if (isForgettable(queue, now)) queues.forget(queue);
  const busy = all.filter(isBusy);
  const asked = busy.filter((queue) => maySend(queues, queue));
  if (asked.length > 0) await endpointRefresh.ask(asked);
  const foreign = takeForeign(queues, busy);
  foreign.forEach(held.remove);
  if (foreign.length > 0) await handBack(foreign);
}

/** What waits in queues whose endpoints only other workers serve. */
function takeForeign(queues: EndpointQueues, busy: EndpointQueue[]): Delivery[] {
  return busy.filter((queue) => isServedByOthers(queues, queue)).flatMap(queues.takeWaiting);
}

export function isForeign(queues: EndpointQueues, endpointId: string): boolean {
  return isServedByOthers(queues, queues.of(endpointId));
}

/** Whether other workers have all slots of the endpoint; unknown while it is not looked up. */
function isServedByOthers(queues: EndpointQueues, queue: EndpointQueue): boolean {
  return queue.target !== undefined && queue.target !== null && queues.slots(queue) === 0;
}

function isBusy({ firsts, retries, inFlight }: EndpointQueue): boolean {
  return firsts.length + retries.length + inFlight > 0;
}

function maySend(queues: EndpointQueues, queue: EndpointQueue): boolean {
  return queue.inDoubt || !isSlow(queue.pace) || queues.hasFreeSlot(queue);
}

function isForgettable({ held, targetAt }: EndpointQueue, now: number): boolean {
  return held === 0 && now - targetAt > QUEUE_IDLE_MS;
}
