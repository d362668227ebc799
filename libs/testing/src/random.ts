// Choices that are the same for the same seed.
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  below(count: number): number;
  isBelow(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  // mulberry32: small, and good enough to choose what happens next.
  function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return {
    next,
    below: (count) => Math.floor(next() * count),
    isBelow: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
  };
}
