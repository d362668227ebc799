// From a wallet to a proof: its personal signature of the payment's id shows that a transfer which two orders may be meant by
// is for this one.
import { getAccount, isDeclined } from "./ask-wallet.ts";
import type { Provider } from "./discover.ts";
import { untilAnswered } from "./hand-in.ts";
import type { Server, Submission } from "./server.ts";

/** What the wallet is asked for. */
export type SigningStep = { kind: "connecting" } | { kind: "signing" };

/** What came of it; offline: the signature was given up with the signal. */
export type Signed =
  | { kind: "signed"; payer: string }
  | { kind: "rejected" }
  | { kind: "unknown" }
  | Exclude<Submission, { kind: "taken" }>;

export interface SigningFor {
  id: string;
  server: Pick<Server, "declare">;
  signal: AbortSignal;
  onStep: (step: SigningStep) => void;
}

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;

export async function signWith(
  provider: Provider,
  { id, server, signal, onStep }: SigningFor,
): Promise<Signed> {
  try {
    onStep({ kind: "connecting" });
    const payer = await getAccount(provider);
    if (payer === undefined) return { kind: "rejected" };
    onStep({ kind: "signing" });
    const signature = await provider.request({
      method: "personal_sign",
      params: [toHex(id), payer],
    });
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) return { kind: "unknown" };
    const answer = await untilAnswered(() => server.declare(payer, signature), signal);
    return answer.kind === "taken" ? { kind: "signed", payer } : answer;
  } catch (error) {
    return { kind: isDeclined(error) ? "rejected" : "unknown" };
  }
}

/** Wallets take a text that is to be signed as bytes. */
function toHex(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
