// Submits the transaction hash, and retries until the server has it.
import type { Server, Submission } from "./server.ts";

const RETRY_MS = 3_000;

/** Resolves to the error code of a rejected hash; undefined when the hash was accepted. */
export async function submitHash(
  server: Pick<Server, "submit">,
  { hash, payer }: { hash: string; payer: string | undefined },
  signal: AbortSignal,
): Promise<{ refused: string | undefined }> {
  for (let known = payer; ; ) {
    const response = await retryWhileOffline(() => server.submit(hash, known), signal);
    if (response.kind !== "refused") return { refused: undefined };
    const isPayerKnown = response.code === "payer_fixed" && known !== undefined;
    if (!isPayerKnown) return { refused: response.code };
    // The transfer was found on the chain before this submission, and with it its sender.
    known = undefined;
  }
}

/** Retries until the server responds; offline: the signal was aborted first. */
export async function retryWhileOffline(
  send: () => Promise<Submission>,
  signal: AbortSignal,
): Promise<Submission> {
  for (;;) {
    const response = await send();
    if (signal.aborted) return { kind: "offline" };
    if (response.kind !== "offline") return response;
    await pause(RETRY_MS, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    }

    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
