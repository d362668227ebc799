// Selects the queue that starts next. Fast and slow queues alternate, so that neither starves. Of each kind, the queue
// with the fewest requests in flight starts first, so that one receiver with many leaves others their share.
export interface FairScheduler<Q> {
  /** Call it whenever a queue may have become ready or not ready. */
  consider(queue: Q): void;
  /** `mayStart` is false for a queue with more requests in flight if it is false for one with fewer. */
  take(mayStart: (queue: Q) => boolean): Q | undefined;
  clear(): void;
}

export function createFairScheduler<Q>({
  isReady,
  isSlow,
  countInFlight,
}: {
  isReady: (queue: Q) => boolean;
  isSlow: (queue: Q) => boolean;
  countInFlight: (queue: Q) => number;
}): FairScheduler<Q> {
  /** By the number of requests in flight, in the order in which they became ready. */
  const fast: Set<Q>[] = [];
  const slow: Set<Q>[] = [];
  const placeByQueue = new Map<Q, Set<Q>>();
  let isFastTurn = false;

  function findPlace(queue: Q): Set<Q> | undefined {
    if (!isReady(queue)) return undefined;
    const places = isSlow(queue) ? slow : fast;
    const inFlight = countInFlight(queue);
    while (places.length <= inFlight) places.push(new Set());
    return places[inFlight];
  }

  function remove(queue: Q) {
    placeByQueue.get(queue)?.delete(queue);
    placeByQueue.delete(queue);
  }

  function findFewest(places: Set<Q>[], mayStart: (queue: Q) => boolean): Q | undefined {
    for (const [queue] of places) {
      if (queue !== undefined) return mayStart(queue) ? queue : undefined;
    }
    return undefined;
  }

  return {
    consider: (queue) => {
      const place = findPlace(queue);
      // A queue that stays in its place keeps its turn.
      if (place === placeByQueue.get(queue)) return;
      remove(queue);
      if (place === undefined) return;
      place.add(queue);
      placeByQueue.set(queue, place);
    },
    take: (mayStart) => {
      const fastQueue = findFewest(fast, mayStart);
      const slowQueue = findFewest(slow, mayStart);
      isFastTurn = !isFastTurn;
      const next = isFastTurn ? (fastQueue ?? slowQueue) : (slowQueue ?? fastQueue);
      if (next !== undefined) remove(next);
      return next;
    },
    clear: () => {
      fast.length = slow.length = 0;
      placeByQueue.clear();
    },
  };
}
