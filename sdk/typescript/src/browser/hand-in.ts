// Hands a wallet's hash to the server, and again until the server has it.
import type { Server } from "./server.ts";

const AGAIN_MS = 3_000;

/** Undefined when the hash was taken, else the code of its refusal. */
export async function handIn(
  server: Pick<Server, "submit">,
  { hash, payer }: { hash: string; payer: string | undefined },
  signal: AbortSignal,
): Promise<{ refused: string | undefined }> {
  for (let known = payer; ; ) {
    const answer = await server.submit(hash, known);
    if (signal.aborted || answer.kind === "taken") return { refused: undefined };
    if (answer.kind === "offline") {
      await pause(AGAIN_MS, signal);
      continue;
    }
    const isPayerKnown = answer.code === "payer_fixed" && known !== undefined;
    if (!isPayerKnown) return { refused: answer.code };
    // The chain was faster than this page: the product has found the transfer, and with it who sent it.
    known = undefined;
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
