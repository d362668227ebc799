/** Pauses between the end of a failed attempt and the next one; the first attempt waits for nothing. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000] as const;
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** A receiver has this long for everything, from its name to its status line. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

/** Parked: its endpoint is disabled, and it can be recovered. */
export type State = "pending" | "delivered" | "failed" | "parked";

/** What an attempt leaves behind: where the delivery stands, and for a live one how long it rests. */
export interface Next {
  state: State;
  delayMs: number;
}

export function isSuccess(statusCode: number | undefined): boolean {
  return statusCode !== undefined && statusCode >= 200 && statusCode < 300;
}

/** After the attempt with this number (1 to 4); every kind of failure is retried alike. */
export function nextAfter(number: number, statusCode: number | undefined): Next {
  if (isSuccess(statusCode)) return { state: "delivered", delayMs: 0 };
  const delayMs = RETRY_DELAYS_MS[number - 1];
  return delayMs === undefined ? { state: "failed", delayMs: 0 } : { state: "pending", delayMs };
}
