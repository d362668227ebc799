import { keccak_256 } from "@noble/hashes/sha3";
import { bytesToHex } from "@noble/hashes/utils";

declare const kind: unique symbol;

/** The name of a payment on a chain: 32 hex digits, made of its id, so that nobody has to store it to send it. */
export type PaymentReference = string & { readonly [kind]: "PaymentReference" };

const DOMAIN = "pay.reference.1";
const DIGITS = 32;

/** No secret: who knows it can only pay. */
export function toReference(paymentId: string): PaymentReference {
  const digest = bytesToHex(keccak_256(`${DOMAIN}${paymentId}`));
  return digest.slice(0, DIGITS) as PaymentReference;
}

// A suffix of ERC-8021, schema 2: the CBOR map {"m": {"pay": reference}}, its length, the schema, and the marker.
const BEFORE = "a1616da16370617950";
const MARKER = "8021".repeat(8);
const AFTER = `001902${MARKER}`;
const SUFFIX_DIGITS = BEFORE.length + DIGITS + AFTER.length;

/** The beginning of each suffix that names a payment: call data without it names none. */
export const REFERENCE_KEY = BEFORE.slice("a1616d".length);

/** 44 bytes in hex, without 0x: they follow the arguments of a call. */
export function toReferenceSuffix(reference: PaymentReference): string {
  return `${BEFORE}${reference}${AFTER}`;
}

/**
 * The payment that the bytes behind the arguments of a call name, in hex without 0x. Wallets add suffixes of their own
 * before and behind, so each marker is read backwards. Two different references name nothing.
 */
export function parseReference(behind: string): PaymentReference | undefined {
  const found = new Set<string>();
  for (let at = behind.indexOf(MARKER); at >= 0; at = behind.indexOf(MARKER, at + 1)) {
    const end = at + MARKER.length;
    const suffix = end < SUFFIX_DIGITS ? "" : behind.slice(end - SUFFIX_DIGITS, end);
    if (end % 2 !== 0 || !suffix.startsWith(BEFORE) || !suffix.endsWith(AFTER)) continue;
    found.add(suffix.slice(BEFORE.length, BEFORE.length + DIGITS));
  }
  const [only, ...others] = found;
  return others.length === 0 ? (only as PaymentReference | undefined) : undefined;
}
