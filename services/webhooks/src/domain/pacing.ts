// How many requests an endpoint may have in flight: one more after each fast response, half after each sign of
// overload. A new endpoint counts as slow and begins with one slot, so that endpoints which hang right after a start
// leave half of all slots to others. Deliveries beyond the limit wait.
import { isSuccess } from "./schedule.ts";

const CONCURRENCY_START = 1;
/** Up to here any fast response counts: a receiver that responds with an error does not hang. */
const CONCURRENCY_WITHOUT_SUCCESS = 4;
const FAST_MS = 2_000;
/** Statuses of an overloaded receiver. */
const OVERLOAD_STATUSES: ReadonlySet<number> = new Set([429, 503]);

export interface Pace {
  /** Most requests in flight, for now. */
  limit: number;
  /** Moving average of durations, in milliseconds. */
  usualMs: number;
  /** Whether a request has ever succeeded. */
  proven: boolean;
}

export const FIRST_PACE: Pace = { limit: CONCURRENCY_START, usualMs: 0, proven: false };

export function updatePace(
  { limit, usualMs, proven }: Pace,
  attempt: { statusCode: number | undefined; durationMs: number },
  concurrencyMax: number,
): Pace {
  const { statusCode, durationMs } = attempt;
  const isOverloaded = statusCode === undefined || OVERLOAD_STATUSES.has(statusCode);
  const mayGrow = isSuccess(statusCode) || limit < CONCURRENCY_WITHOUT_SUCCESS;
  const isFast = mayGrow && durationMs < FAST_MS;
  const next = isOverloaded ? Math.floor(limit / 2) : isFast ? limit + 1 : limit;
  return {
    limit: Math.max(1, Math.min(next, concurrencyMax)),
    usualMs: usualMs * 0.7 + durationMs * 0.3,
    proven: proven || isSuccess(statusCode),
  };
}

/** Slow and unproven endpoints together use at most half of all slots. */
export function isSlow({ usualMs, proven }: Pace): boolean {
  return !proven || usualMs > FAST_MS;
}
