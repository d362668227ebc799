// Hands a wallet's hash to the server, and again until the server has it.
import type { Server, Submission } from "./server.ts";

const AGAIN_MS = 3_000;

/** Undefined when the hash was taken, else the code of its refusal. */
export async function handIn(
  server: Pick<Server, "submit">,
  { hash, payer }: { hash: string; payer: string | undefined },
  signal: AbortSignal,
): Promise<{ refused: string | undefined }> {
  for (let known = payer; ; ) {
    const answer = await untilAnswered(() => server.submit(hash, known), signal);
    if (answer.kind !== "refused") return { refused: undefined };
    const isPayerKnown = answer.code === "payer_fixed" && known !== undefined;
    if (!isPayerKnown) return { refused: answer.code };
    // The chain was faster than this page: the product has found the transfer, and with it who sent it.
    known = undefined;
  }
}

/** Asks again until the server has answered; offline: the signal was aborted first. */
export async function untilAnswered(
  ask: () => Promise<Submission>,
  signal: AbortSignal,
): Promise<Submission> {
  for (;;) {
    const answer = await ask();
    if (signal.aborted) return { kind: "offline" };
    if (answer.kind !== "offline") return answer;
    await pause(AGAIN_MS, signal);
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
