// Selects the queue that starts next. Fast and slow queues alternate, so that neither starves. Fast queues start in the
// order in which they became ready; of slow queues, the one with the fewest requests in flight starts first, so that
// receivers that hang leave others their share.
export interface FairScheduler<Q> {
  /** Call it whenever a queue may have become ready or not ready. */
  consider(queue: Q): void;
  /** Slow queues only where allowed, because endpoints that hang could occupy every slot. */
  take(mayStartSlow: (queue: Q) => boolean): Q | undefined;
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
  const fast = new Set<Q>();
  /** By the number of requests in flight. */
  const slow: Set<Q>[] = [];
  const placeByQueue = new Map<Q, Set<Q>>();
  let isFastTurn = false;

  function findPlace(queue: Q): Set<Q> | undefined {
    if (!isReady(queue)) return undefined;
    if (!isSlow(queue)) return fast;
    const inFlight = countInFlight(queue);
    while (slow.length <= inFlight) slow.push(new Set());
    return slow[inFlight];
  }

  function remove(queue: Q) {
    placeByQueue.get(queue)?.delete(queue);
    placeByQueue.delete(queue);
  }

  function findSlow(): Q | undefined {
    for (const [queue] of slow) if (queue !== undefined) return queue;
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
    take: (mayStartSlow) => {
      const [fastQueue] = fast;
      const fewest = findSlow();
      const slowQueue = fewest !== undefined && mayStartSlow(fewest) ? fewest : undefined;
      isFastTurn = !isFastTurn;
      const next = isFastTurn ? (fastQueue ?? slowQueue) : (slowQueue ?? fastQueue);
      if (next !== undefined) remove(next);
      return next;
    },
    clear: () => {
      fast.clear();
      slow.length = 0;
      placeByQueue.clear();
    },
  };
}
