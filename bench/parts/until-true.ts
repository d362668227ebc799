const WAIT_MAX_MS = 300_000;

export async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not there within ${WAIT_MAX_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
