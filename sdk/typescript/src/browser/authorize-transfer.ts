// Requests the wallet's signature for the transfer (EIP-3009), which the service sends, and whose gas it pays. Loaded
// when a payment is made that can be paid so.
import type { Provider } from "./find-wallets.ts";
import type { Submission } from "./server.ts";

/** The result; unknown: its submission was given up. */
export type Authorized =
  | { kind: "authorized" }
  | { kind: "unsponsored" }
  | { kind: "unknown" }
  | Extract<Submission, { kind: "refused" }>;

export interface AuthorizationRequest {
  payer: string;
  typedData: Record<string, unknown>;
  /** Repeats it until there is an answer. */
  submit: (authorization: object, signature: string) => Promise<Submission>;
  onStep: (step: { kind: "signing" } | { kind: "sending" }) => void;
}

const SIGNATURE = /^0x(?:[0-9a-fA-F]{2})+$/;

/** Throws what the wallet throws. */
export async function authorizeTransfer(
  provider: Provider,
  { payer, typedData, submit, onStep }: AuthorizationRequest,
): Promise<Authorized> {
  const message = { from: payer, ...(typedData.message as object) };
  onStep({ kind: "signing" });
  const signature = await provider.request({
    method: "eth_signTypedData_v4",
    params: [payer, JSON.stringify({ ...typedData, message })],
  });
  if (typeof signature !== "string" || !SIGNATURE.test(signature)) return { kind: "unsponsored" };
  onStep({ kind: "sending" });
  const response = await submit(message, signature);
  if (response.kind === "offline") return { kind: "unknown" };
  // An earlier one may still be spent.
  if (response.kind === "taken" || response.code === "authorization_pending") {
    return { kind: "authorized" };
  }
  return response.code === "payment_status_invalid" ? response : { kind: "unsponsored" };
}
