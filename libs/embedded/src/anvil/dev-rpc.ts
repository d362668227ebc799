// Calls to a development node on this machine. Not for real providers: nothing here retries or guards.

const TIMEOUT_MS = 10_000;

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** One JSON-RPC call; a refusal by the node is an Error with the node's message. */
export async function callNode(
  rpcUrl: string,
  method: string,
  params: readonly unknown[] = [],
  timeoutMs = TIMEOUT_MS,
): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { result, error } = (await response.json()) as Answer;
  if (error !== undefined) throw new Error(`${method}: ${error.message} (${error.code})`);
  return result;
}
