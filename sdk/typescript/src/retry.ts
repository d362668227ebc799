// Decides whether and when a request is retried. A request that may have been executed is retried only where a
// repetition changes nothing: it reads, it sets, or its idempotency key makes it the same request.
import type { PayError } from "./errors.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 8_000;
/** Rejected before anything was executed. */
const RATE_LIMITED = 429;
const TEMPORARY = [0, 408, 500, 502, 503, 504];

export function canRetry(
  { status, code }: Pick<PayError, "status" | "code">,
  isRepeatable: boolean,
): boolean {
  if (status === RATE_LIMITED) return true;
  if (!isRepeatable) return false;
  return TEMPORARY.includes(status) || code === "idempotency_in_progress";
}

/**
 * The pause of the Retry-After header, else a growing one. Pauses are random, so that clients that failed together do
 * not retry together.
 */
export function pauseMs(
  tries: number,
  retryAfter: string | null | undefined,
  random: () => number = Math.random,
): number {
  const seconds = Number(retryAfter);
  if (retryAfter && seconds >= 0) return seconds * 1_000;
  const longest = Math.min(PAUSE_MIN_MS * 2 ** tries, PAUSE_MAX_MS);
  return PAUSE_MIN_MS + random() * (longest - PAUSE_MIN_MS);
}
