// Requests the wallet's personal signature of the payment's text. The text says who asks for it; the signature proves
// which of two equal orders a transfer belongs to.

import type { Provider } from "./find-wallets.ts";
import { getAccount, isDeclined } from "./request-transfer.ts";
import type { Server, Status, Submission } from "./server.ts";
import { retryWhileOffline } from "./submit-hash.ts";

/** The request that the wallet shows. */
export type SigningStep = { kind: "connecting" } | { kind: "signing" };

/** The result; offline: the signal was aborted before the server had the signature. */
export type Signed =
  | { kind: "signed"; payer: string }
  | { kind: "rejected" }
  | { kind: "unknown" }
  | Exclude<Submission, { kind: "taken" }>;

export interface SignatureRequest {
  status: Pick<Status, "id" | "payerMessage">;
  server: Pick<Server, "declare">;
  signal: AbortSignal;
  onStep: (step: SigningStep) => void;
}

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;

export async function requestSignature(
  provider: Provider,
  { status, server, signal, onStep }: SignatureRequest,
): Promise<Signed> {
  try {
    onStep({ kind: "connecting" });
    const payer = await getAccount(provider);
    if (payer === undefined) return { kind: "rejected" };
    onStep({ kind: "signing" });
    const signature = await provider.request({
      method: "personal_sign",
      // A service without a public host has no text.
      params: [toHex(status.payerMessage ?? status.id), payer],
    });
    if (typeof signature !== "string" || !SIGNATURE.test(signature)) return { kind: "unknown" };
    const response = await retryWhileOffline(() => server.declare(payer, signature), signal);
    return response.kind === "taken" ? { kind: "signed", payer } : response;
  } catch (error) {
    return { kind: isDeclined(error) ? "rejected" : "unknown" };
  }
}

/** Wallets expect the text to sign as bytes. */
function toHex(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
