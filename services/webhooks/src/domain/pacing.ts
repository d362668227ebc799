// How many requests an endpoint may have under way. It grows by one with every quick answer and is halved with every
// sign of strain, so a receiver that hangs soon holds one slot instead of all of them, and one that recovers gets
// them back. An endpoint that has not answered quickly yet counts as slow and begins with one slot, so that any number of
// endpoints that hang right after a start leave half of all slots to the others. Nothing is ever dropped by it: what may
// not start waits.
import { isSuccess } from "./schedule.ts";

const CONCURRENCY_START = 1;
/** Up to here any quick answer counts: a receiver that answers with an error does not hang. */
const CONCURRENCY_WITHOUT_SUCCESS = 4;
const QUICK_MS = 2_000;
/** Answers that say "too much", and faults of reaching the receiver at all. */
const STRAIN_STATUSES: ReadonlySet<number> = new Set([429, 503]);

export interface Pace {
  /** Most requests under way at once, for now. */
  limit: number;
  /** Typical duration lately, in milliseconds. */
  usualMs: number;
  /** Whether the endpoint has ever answered with success. */
  proven: boolean;
}

export const FIRST_PACE: Pace = { limit: CONCURRENCY_START, usualMs: 0, proven: false };

export function paceAfter(
  { limit, usualMs, proven }: Pace,
  attempt: { statusCode: number | undefined; durationMs: number },
  concurrencyMax: number,
): Pace {
  const { statusCode, durationMs } = attempt;
  const strained = statusCode === undefined || STRAIN_STATUSES.has(statusCode);
  const mayGrow = isSuccess(statusCode) || limit < CONCURRENCY_WITHOUT_SUCCESS;
  const quick = mayGrow && durationMs < QUICK_MS;
  const next = strained ? Math.floor(limit / 2) : quick ? limit + 1 : limit;
  return {
    limit: Math.max(1, Math.min(next, concurrencyMax)),
    usualMs: usualMs * 0.7 + durationMs * 0.3,
    proven: proven || isSuccess(statusCode),
  };
}

/** Slow and unproven endpoints together may hold at most half of all slots. */
export function isSlow({ usualMs, proven }: Pace): boolean {
  return !proven || usualMs > QUICK_MS;
}
