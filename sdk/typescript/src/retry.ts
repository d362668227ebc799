// Which try is followed by another one, and when. A request that may have been carried out is sent again only where a
// repetition changes nothing: it reads, it sets, or its idempotency key makes it the same request.
import type { PayError } from "./errors.ts";

const PAUSE_MIN_MS = 500;
const PAUSE_MAX_MS = 8_000;
/** Refused before anything was done, whatever the request is. */
const NEVER_BEGUN = 429;
const TEMPORARY = [0, 408, 500, 502, 503, 504];

export function isWorthAnotherTry(
  { status, code }: Pick<PayError, "status" | "code">,
  isRepeatable: boolean,
): boolean {
  if (status === NEVER_BEGUN) return true;
  if (!isRepeatable) return false;
  return TEMPORARY.includes(status) || code === "idempotency_in_progress";
}

/**
 * The service says how long to wait, or else the pauses grow; clients that failed together come back at different
 * times, because each draws its pause.
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
