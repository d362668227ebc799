// The number of blocks of the next request for logs. Providers have limits of their own, so the size grows with each
// response and shrinks with each error. A response stays small enough to be parsed in moments, because nothing else of
// the process runs then.

const START = 100;
const MAX = 2_000;
const GROWTH = 1.25;
/** Also what the strictest of the large providers gives in one answer. */
const RESULTS_MAX = 10_000;
/** A provider may have been refusing for a load that has passed. */
const REFUSAL_KEPT = 100;

export interface Range {
  readonly size: number;
  /** After an answer about so many blocks, by default the whole size, with so many results. */
  succeeded(answer?: { blocks: number; results: number }): void;
  /** Answers false where one block is too wide already: then this provider cannot answer. */
  refused(proposed?: number): boolean;
}

export function createRange(
  max = MAX,
  { start = START, resultsMax = RESULTS_MAX }: { start?: number; resultsMax?: number } = {},
): Range {
  let size = Math.min(start, max);
  let bound = max;
  let answers = 0;
  return {
    get size() {
      return size;
    },
    succeeded: ({ blocks, results } = { blocks: size, results: 0 }) => {
      // At the head the blocks are few whatever the size is, which says nothing about it.
      if (blocks >= size) {
        answers++;
        if (answers > REFUSAL_KEPT) bound = max;
        size = Math.min(Math.ceil(size * GROWTH), bound);
      }
      if (results > 0) size = Math.min(size, Math.floor((resultsMax * blocks) / results));
      size = Math.max(size, 1);
    },
    refused: (proposed) => {
      if (size === 1) return false;
      // A proposal that is as wide as the question would be refused again.
      const isNarrower = proposed !== undefined && proposed < size;
      bound = Math.max(isNarrower ? proposed : size - 1, 1);
      size = Math.max(isNarrower ? proposed : Math.floor(size / 2), 1);
      answers = 0;
      return true;
    },
  };
}
