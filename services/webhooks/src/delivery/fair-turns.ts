// Decides which queue starts next: queues that could start something, in the order in which they became ready. Quick
// and slow queues alternate, so that neither starves.
export interface FairTurns<Q> {
  /** To be called whenever a queue may have become ready, or is no longer ready. */
  consider(queue: Q): void;
  /** The next queue; slow ones only where they are allowed, or endpoints that hang could occupy every slot. */
  take(mayBeSlow: boolean): Q | undefined;
  clear(): void;
}

export function createFairTurns<Q>({
  isReady,
  isSlow,
}: {
  isReady: (queue: Q) => boolean;
  isSlow: (queue: Q) => boolean;
}): FairTurns<Q> {
  const quick = new Set<Q>();
  const slow = new Set<Q>();
  let isQuicksTurn = false;
  return {
    consider: (queue) => {
      const isOneOfSlow = isSlow(queue);
      const mine = isOneOfSlow ? slow : quick;
      (isOneOfSlow ? quick : slow).delete(queue);
      if (isReady(queue)) mine.add(queue);
      else mine.delete(queue);
    },
    take: (mayBeSlow) => {
      const [quickOne] = quick;
      const [slowOne] = mayBeSlow ? slow : [];
      isQuicksTurn = !isQuicksTurn;
      const one = isQuicksTurn ? (quickOne ?? slowOne) : (slowOne ?? quickOne);
      if (one === undefined) return undefined;
      quick.delete(one);
      slow.delete(one);
      return one;
    },
    clear: () => {
      quick.clear();
      slow.clear();
    },
  };
}
