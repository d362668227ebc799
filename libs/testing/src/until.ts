/** Waits for something to come true, asking often and never longer than the bound. Answers what the check answered. */
export const until = async <T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number; what?: string } = {},
): Promise<NonNullable<Exclude<T, false>>> => {
  const { timeoutMs = 10_000, what = "what is waited for" } = options;
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
};
