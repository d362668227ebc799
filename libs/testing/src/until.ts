import { PATIENCE_MS } from "./patience.ts";

/** Calls the check often until it returns a value, within the bound. Returns that value. */
export async function until<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const { timeoutMs = PATIENCE_MS, what = "what is waited for" } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await check();
    if (answer !== undefined && answer !== null && answer !== false) {
      return answer as NonNullable<Exclude<T, false>>;
    }
    if (performance.now() > deadline) {
      throw new Error(`${what} did not come within ${timeoutMs} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
