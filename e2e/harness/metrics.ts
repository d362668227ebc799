const TIMEOUT_MS = 30_000;

/** The metrics that a process exposes on its admin port. */
export async function fetchMetrics(adminUrl: string): Promise<string> {
  const answer = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return answer.text();
}
