/** Strangers decide how many of their requests there are, so their log lines have a bound. Metrics count all. */
const LINES_PER_SECOND = 50;

const SECOND_MS = 1_000;

export interface BoundedLines {
  /** Undefined: no line; else how many requests went without one since the last line. */
  admit(nowMs: number): number | undefined;
}

export function createBoundedLines(): BoundedLines {
  let fromMs = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let omitted = 0;
  return {
    admit: (nowMs) => {
      if (nowMs - fromMs >= SECOND_MS) {
        fromMs = nowMs;
        lines = 0;
      }
      if (++lines > LINES_PER_SECOND) {
        omitted++;
        return undefined;
      }
      const since = omitted;
      omitted = 0;
      return since;
    },
  };
}
