/** From the end of a failed attempt to the next one. */
const RETRY_DELAYS_MS = [1_000, 5_000, 30_000] as const;
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
/** From the DNS look-up to the status line. */
export const ATTEMPT_TIMEOUT_MS = 10_000;

/** Parked: the endpoint is disabled, and the delivery can be recovered. */
export type State = "pending" | "delivered" | "failed" | "parked";

/** The state after an attempt, and the delay of the next one. */
export interface Next {
  state: State;
  delayMs: number;
}

export function isSuccess(statusCode: number | undefined): boolean {
  return statusCode !== undefined && statusCode >= 200 && statusCode < 300;
}

/** After the attempt with this number (1 to 4); every failure is retried alike. */
export function planNextAttempt(number: number, statusCode: number | undefined): Next {
  if (isSuccess(statusCode)) return { state: "delivered", delayMs: 0 };
  const delayMs = RETRY_DELAYS_MS[number - 1];
  return delayMs === undefined ? { state: "failed", delayMs: 0 } : { state: "pending", delayMs };
}
