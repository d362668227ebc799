// Keeps the endpoints of queues fresh. The endpoint of an idle queue is looked up when a delivery arrives, together with
// those of all queues that woke in the same turn; until the answer is there, the queue starts nothing. A delivery
// carries the version of its endpoint: where it differs from the known one, the endpoint has changed and is looked up at
// once, so an event after a change never goes to the address from before it. Where it is the known one, the delivery is
// a look-up by itself, and an endpoint that gets events steadily is not asked for again.
import type { Log } from "@pay/process";
import type { Delivery } from "./delivery.ts";
import type { EndpointCache } from "./endpoint-cache.ts";
import type { EndpointQueue } from "./endpoint-queues.ts";

const FRESH_MS = 900;

/** The version of an endpoint, and a time from before the statement that read it. */
export type SeenVersion = Pick<Delivery, "endpointVersion" | "takenInAt">;

export interface EndpointRefresh {
  /** To be called before something is queued, with the endpoint's version where that is known. */
  ensureFresh(queue: EndpointQueue, seen?: SeenVersion): void;
  /** Looks up now; throws when there is no answer, and the known endpoints stay. */
  ask(queues: EndpointQueue[]): Promise<void>;
}

export function createEndpointRefresh(options: {
  endpointCache: EndpointCache;
  log: Log;
  now: () => number;
  /** The endpoints of these queues were looked up; a queue whose endpoint is in doubt waits. */
  onKnown: (queues: EndpointQueue[]) => void;
}): EndpointRefresh {
  const { endpointCache, log, now, onKnown } = options;
  const stale = new Set<EndpointQueue>();
  let asking = false;

  async function ask(queues: EndpointQueue[]) {
    const askedAt = now();
    const asked = queues.map((queue) => ({ queue, version: queue.version }));
    const found = await endpointCache.find(queues.map(({ endpointId }) => endpointId));
    for (const { queue, version } of asked) {
      const target = found.get(queue.endpointId);
      if (queue.version !== version && queue.version !== target?.version) {
        // The endpoint may have changed after the question; the newest delivery knows more than the answer.
        doubt(queue);
        continue;
      }
      queue.target = found.has(queue.endpointId) ? target : null;
      queue.inDoubt = false;
      queue.targetAt = askedAt;
    }
    onKnown(queues);
  }

  function doubt(queue: EndpointQueue) {
    // What is known stays, because the pace is judged by it.
    queue.inDoubt = true;
    stale.add(queue);
    if (asking) return;
    asking = true;
    setImmediate(() => void askForStale());
  }

  async function askForStale() {
    while (stale.size > 0) {
      const queues = [...stale];
      stale.clear();
      await ask(queues).catch((error: unknown) =>
        // They stay unknown, and the next refresh of busy queues asks again.
        log.warn({ err: error, endpoints: queues.length }, "endpoints were not looked up"),
      );
    }
    asking = false;
  }

  return {
    ask,
    ensureFresh: (queue, seen) => {
      const version = seen?.endpointVersion ?? queue.version;
      const isKnown = version === queue.version || version === queue.target?.version;
      queue.version = version;
      if (seen !== undefined && isConfirmedBy(queue, seen)) {
        queue.targetAt = Math.max(queue.targetAt, seen.takenInAt);
      }
      if (!isKnown || now() - queue.targetAt > FRESH_MS) doubt(queue);
    },
  };
}

/** During a rotation the version says too little: the next secret comes into force by its time, without a change. */
function isConfirmedBy({ target }: EndpointQueue, { endpointVersion }: SeenVersion): boolean {
  if (target === undefined || target === null) return false;
  return target.version === endpointVersion && target.nextKey === undefined;
}
