// Keeps the endpoints of queues fresh. A delivery carries the version of its endpoint.
// - Another version than the known one: the endpoint has changed. The queue starts nothing until it is looked up, so
//   that an event after a change never goes to the previous url.
// - The known version: the delivery confirms it, and an endpoint with steady events is not looked up again.
// - No delivery for a while: the endpoint is looked up with all others that became stale in the same turn.
import type { Log } from "@pay/process";
import type { Delivery } from "./delivery.ts";
import type { EndpointCache } from "./endpoint-cache.ts";
import type { EndpointQueue } from "./endpoint-queues.ts";

const FRESH_MS = 900;

/** The version of an endpoint and the time before the statement that read it. */
export type SeenVersion = Pick<Delivery, "endpointVersion" | "loadedAt">;

export interface EndpointRefresh {
  /** Call it before a delivery is queued, with the endpoint's version where it is known. */
  ensureFresh(queue: EndpointQueue, seen?: SeenVersion): void;
  /** Looks up now; on an error the known endpoints stay. */
  lookUp(queues: EndpointQueue[]): Promise<void>;
}

export function createEndpointRefresh(options: {
  endpointCache: EndpointCache;
  log: Log;
  now: () => number;
  /** The endpoints of these queues were looked up. */
  onKnown: (queues: EndpointQueue[]) => void;
}): EndpointRefresh {
  const { endpointCache, log, now, onKnown } = options;
  const stale = new Set<EndpointQueue>();
  let isLookingUp = false;

  async function lookUp(queues: EndpointQueue[]) {
    const requestedAt = now();
    const requested = queues.map((queue) => ({ queue, version: queue.version }));
    const found = await endpointCache.find(queues.map(({ endpointId }) => endpointId));
    for (const { queue, version } of requested) {
      const target = found.get(queue.endpointId);
      if (queue.version !== version && queue.version !== target?.version) {
        // The endpoint changed after the look-up began.
        markStale(queue);
        continue;
      }
      queue.target = found.has(queue.endpointId) ? target : null;
      queue.isStale = false;
      queue.targetAt = requestedAt;
    }
    onKnown(queues);
  }

  function markStale(queue: EndpointQueue) {
    // The target stays, because the pace depends on it.
    queue.isStale = true;
    stale.add(queue);
    if (isLookingUp) return;
    isLookingUp = true;
    setImmediate(() => void lookUpStale());
  }

  async function lookUpStale() {
    while (stale.size > 0) {
      const queues = [...stale];
      stale.clear();
      await lookUp(queues).catch((error: unknown) =>
        // The next refresh of busy queues tries again.
        log.warn({ err: error, endpoints: queues.length }, "endpoints were not looked up"),
      );
    }
    isLookingUp = false;
  }

  return {
    lookUp,
    ensureFresh: (queue, seen) => {
      const version = seen?.endpointVersion ?? queue.version;
      const isKnown = version === queue.version || version === queue.target?.version;
      queue.version = version;
      if (seen !== undefined && isConfirmedBy(queue, seen)) {
        queue.targetAt = Math.max(queue.targetAt, seen.loadedAt);
      }
      if (!isKnown || now() - queue.targetAt > FRESH_MS) markStale(queue);
    },
  };
}

/** During a rotation the version is not enough: the next secret comes into force by time, without a change. */
function isConfirmedBy({ target }: EndpointQueue, { endpointVersion }: SeenVersion): boolean {
  if (target === undefined || target === null) return false;
  return target.version === endpointVersion && target.nextKey === undefined;
}
