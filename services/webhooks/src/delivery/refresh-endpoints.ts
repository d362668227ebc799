// Keeps the endpoints of queues fresh. The endpoint of an idle queue is looked up when a delivery arrives, together with
// those of all queues that woke in the same turn; until the answer is there, the queue starts nothing. A delivery
// carries the version of its endpoint: where it differs from the known one, the endpoint has changed and is looked up at
// once, so an event after a change never goes to the address from before it.
import type { Log } from "@pay/process";
import type { EndpointCache } from "./endpoint-cache.ts";
import type { EndpointQueue } from "./endpoint-queues.ts";

const FRESH_MS = 900;

export interface EndpointRefresh {
  /** To be called before something is queued, with the endpoint's version where that is known. */
  ensureFresh(queue: EndpointQueue, version?: string): void;
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
    ensureFresh: (queue, version = queue.version) => {
      const isKnown = version === queue.version || version === queue.target?.version;
      queue.version = version;
      if (!isKnown || now() - queue.targetAt > FRESH_MS) doubt(queue);
    },
  };
}
