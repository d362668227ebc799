import { PATIENCE_MS } from "./patience.ts";

const PAUSE_MIN_MS = 10;
const PAUSE_MAX_MS = 200;
/** Of what it has waited already: a machine that is asked often is busier for it. */
const PAUSE_SHARE = 0.05;

/** Calls the check until it returns a value, within the bound; often at first. Returns that value. */
export async function until<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = PATIENCE_MS, what = "what is waited for" } = options;
  const beganAt = performance.now();
  for (;;) {
    const answer = await check();
    if (answer !== undefined && answer !== null && answer !== false) {
      return answer as NonNullable<Exclude<T, false>>;
    }
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > timeoutMs) {
      throw new Error(`${what} did not come within ${timeoutMs} ms`);
    }
    const pauseMs = Math.min(Math.max(waitedMs * PAUSE_SHARE, PAUSE_MIN_MS), PAUSE_MAX_MS);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
