// The wire form of x402, version 2: JSON in base64 in headers.
import type { X402SettleBody } from "../api/x402.ts";

export const X402_VERSION = 2;
export const SCHEME = "exact";

/** What a client may pay with. */
export interface Terms {
  scheme: typeof SCHEME;
  network: string;
  /** In the smallest unit. */
  amount: string;
  asset: string;
  payTo: string;
  maxTimeoutSeconds: number;
  extra: { assetTransferMethod: "eip3009"; name: string; version: string };
}

export interface SignedPayment {
  payload: X402SettleBody["paymentPayload"];
  /** Of the terms that the client has accepted; it is on no chain, other than the signature. */
  ticket: string;
  validBefore: number;
}

const TICKET_LENGTH_MIN = 32;

export function encode(value: object): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}

/** Undefined for what no client of x402 has sent. */
export function parsePayment(header: string): SignedPayment | undefined {
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0));
    const payload = JSON.parse(new TextDecoder().decode(bytes));
    const { ticket } = payload.accepted.extra;
    const validBefore = Number(payload.payload.authorization.validBefore);
    const isTicket = typeof ticket === "string" && ticket.length >= TICKET_LENGTH_MIN;
    return isTicket && validBefore > 0 ? { payload, ticket, validBefore } : undefined;
  } catch {
    return undefined;
  }
}

/** The same for the same text alone, and tells nothing of it. */
export async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const AMOUNT = /^(\d{1,60})(?:\.(\d{1,60}))?$/;

export function toBaseUnits(amount: string, decimals: number): string {
  const [, whole, fraction = ""] = AMOUNT.exec(amount) ?? [];
  const base = BigInt(`${whole ?? 0}${fraction.padEnd(decimals, "0")}`);
  if (base > 0n && fraction.length <= decimals) return `${base}`;
  throw new TypeError(`amount must be a positive decimal string with at most ${decimals} decimals`);
}
