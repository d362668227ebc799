// How many blocks the next question about logs covers. Providers have limits of their own that no standard names, so the
// size grows with each success and shrinks with each refusal.

const START = 100;
const MAX = 2_000;

export interface Range {
  readonly size: number;
  succeeded(): void;
  /** Answers false where one block is too wide already: then this provider cannot answer. */
  refused(proposed: number | undefined): boolean;
}

export function createRange(max = MAX): Range {
  let size = Math.min(START, max);
  return {
    get size() {
      return size;
    },
    succeeded: () => {
      size = Math.min(Math.ceil(size * 1.25), max);
    },
    refused: (proposed) => {
      if (size === 1) return false;
      // A proposal that is as wide as the question would be refused again.
      const smaller = proposed !== undefined && proposed < size ? proposed : Math.floor(size / 2);
      size = Math.max(smaller, 1);
      return true;
    },
  };
}
