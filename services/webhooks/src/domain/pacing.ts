// How many requests an endpoint may have in flight: one more after each success, half after each sign of overload,
// never fewer than four. Four slots keep the schedule of retries for a few events at once, also at a receiver that
// hangs. Deliveries beyond the limit wait.
import { isSuccess } from "./schedule.ts";

/** The first limit of an endpoint, and its lowest. */
export const CONCURRENCY_MIN = 4;
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

/** The outcome of an attempt. */
export interface Outcome {
  statusCode: number | undefined;
  error: string | undefined;
  durationMs: number;
}

export const FIRST_PACE: Pace = { limit: CONCURRENCY_MIN, usualMs: 0, proven: false };

export function updatePace(pace: Pace, outcome: Outcome, concurrencyMax: number): Pace {
  const { statusCode, durationMs } = outcome;
  return {
    limit: Math.min(computeLimit(pace.limit, outcome), concurrencyMax),
    usualMs: pace.usualMs * 0.7 + durationMs * 0.3,
    proven: pace.proven || isSuccess(statusCode),
  };
}

function computeLimit(limit: number, { statusCode, error }: Outcome): number {
  if (isSuccess(statusCode)) return limit + 1;
  const isOverloaded = error === "timeout" || OVERLOAD_STATUSES.has(statusCode ?? 0);
  return isOverloaded ? Math.max(CONCURRENCY_MIN, Math.floor(limit / 2)) : limit;
}

/** Slow and unproven endpoints together use at most half of all slots. */
export function isSlow({ usualMs, proven }: Pace): boolean {
  return !proven || usualMs > FAST_MS;
}
