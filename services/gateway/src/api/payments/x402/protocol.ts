// The wire form of x402, version 2: JSON in base64 in headers, and the names of errors that its clients know.
import { Failure } from "@pay/failures";
import { z } from "zod";
import { payerAuthorization } from "../authorize-payment.ts";

export const X402_VERSION = 2;
export const SCHEME = "exact";

export const SIGNATURE_HEADER = "payment-signature";
const PAYMENT_MAX = 8_192;

export type RefusalName =
  | "insufficient_funds"
  | "invalid_exact_evm_payload_authorization_valid_after"
  | "invalid_exact_evm_payload_authorization_valid_before"
  | "invalid_exact_evm_payload_authorization_value"
  | "invalid_exact_evm_payload_recipient_mismatch"
  | "invalid_exact_evm_payload_signature"
  | "invalid_network"
  | "invalid_payment_requirements"
  | "invalid_transaction_state"
  | "invalid_x402_version"
  | "unsupported_scheme";

/** What a client may pay with. */
export interface Requirements {
  scheme: typeof SCHEME;
  network: string;
  /** In the smallest unit. */
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { assetTransferMethod: "eip3009"; name: string; version: string };
}

/** What a client has signed, and for which of the requirements. Those are checked against our own. */
const paymentPayload = z.object({
  x402Version: z.number(),
  accepted: z.object({ scheme: z.string(), network: z.string() }),
  payload: payerAuthorization,
});

export type SignedPayment = z.output<typeof paymentPayload>;

export function toNetwork(chainId: bigint | number): string {
  return `eip155:${chainId}`;
}

export function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

export function parsePayment(text: string): SignedPayment {
  const { data } = paymentPayload.safeParse(text.length > PAYMENT_MAX ? undefined : decode(text));
  if (data !== undefined) return data;
  throw new Failure(
    "field_invalid",
    "PAYMENT-SIGNATURE must be a payment payload of x402 with an EIP-3009 authorization, as JSON in base64",
  );
}

function decode(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64").toString());
  } catch {
    return undefined;
  }
}
