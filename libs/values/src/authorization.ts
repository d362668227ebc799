// A payer's signature for a transfer that somebody else sends (EIP-3009). Its nonce begins with the reference of the
// payment, so whoever sends it pays that payment.
import type { Address } from "./address.ts";
import type { Amount } from "./amount.ts";
import type { ChainId } from "./chain-id.ts";
import type { PaymentReference } from "./reference.ts";

/** The name and version with which a token has its signatures made (EIP-712). */
export interface TokenDomain {
  name: string;
  version: string;
}

export interface Authorization {
  from: Address;
  to: Address;
  value: Amount;
  /** Seconds since 1970, both excluded. */
  validAfter: bigint;
  validBefore: bigint;
  /** 32 bytes in lower-case hex with 0x. */
  nonce: string;
}

/** used: in a block. cancelled: by the payer. expired, failed: never spent. */
export const AUTHORIZATION_STATES = [
  "received",
  "sent",
  "used",
  "cancelled",
  "expired",
  "failed",
] as const;

export const AUTHORIZATION_TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const;

export function toAuthorizationDomain(
  { name, version }: TokenDomain,
  { chainId, token }: { chainId: ChainId; token: Address },
) {
  return { name, version, chainId, verifyingContract: token };
}

const COUNTER_DIGITS = 32;

/** The first authorization of a payment has the counter 0; the next one only after the payer has cancelled it. */
export function toAuthorizationNonce(reference: PaymentReference, counter: number): string {
  return `0x${reference}${counter.toString(16).padStart(COUNTER_DIGITS, "0")}`;
}

/** The payment that a nonce names, where it names one. */
export function toAuthorizedReference(nonce: string): PaymentReference {
  return nonce.slice(2, 2 + COUNTER_DIGITS).toLowerCase() as PaymentReference;
}
