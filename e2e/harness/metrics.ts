const TIMEOUT_MS = 30_000;

/** The metrics that a process exposes on its admin port. */
export async function fetchMetrics(sideUrl: string): Promise<string> {
  const answer = await fetch(`${sideUrl}/metrics`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  return answer.text();
}
