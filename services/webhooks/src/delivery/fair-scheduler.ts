// Selects the queue that starts next, in the order in which queues became ready. Fast and slow queues alternate, so
// that neither starves.
export interface FairScheduler<Q> {
  /** Call it whenever a queue may have become ready or not ready. */
  consider(queue: Q): void;
  /** Slow queues only where allowed, because endpoints that hang could occupy every slot. */
  take(mayBeSlow: boolean): Q | undefined;
  clear(): void;
}

export function createFairScheduler<Q>({
  isReady,
  isSlow,
}: {
  isReady: (queue: Q) => boolean;
  isSlow: (queue: Q) => boolean;
}): FairScheduler<Q> {
  const fast = new Set<Q>();
  const slow = new Set<Q>();
  let isFastTurn = false;
  return {
    consider: (queue) => {
      const isSlowQueue = isSlow(queue);
      const own = isSlowQueue ? slow : fast;
      (isSlowQueue ? fast : slow).delete(queue);
      if (isReady(queue)) own.add(queue);
      else own.delete(queue);
    },
    take: (mayBeSlow) => {
      const [fastQueue] = fast;
      const [slowQueue] = mayBeSlow ? slow : [];
      isFastTurn = !isFastTurn;
      const next = isFastTurn ? (fastQueue ?? slowQueue) : (slowQueue ?? fastQueue);
      if (next === undefined) return undefined;
      fast.delete(next);
      slow.delete(next);
      return next;
    },
    clear: () => {
      fast.clear();
      slow.clear();
    },
  };
}
