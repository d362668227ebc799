// The right to one route of one payment, for clients that are given an address and no header. It has no row: the
// address is the same whenever it is shown.
import { timingSafeEqual } from "node:crypto";
import { listDigests, toDigest } from "../keys/digest.ts";
import type { Peppers } from "../keys/pepper.ts";

/** 128 bits. */
const BYTES = 16;
export const TICKET_LENGTH_MAX = 64;

function toText(paymentId: string): string {
  return `x402 ${paymentId}`;
}

export function createTicket(paymentId: string, peppers: Peppers): string {
  return toDigest(toText(paymentId), peppers[0]).subarray(0, BYTES).toString("base64url");
}

export function isTicket(ticket: string, paymentId: string, peppers: Peppers): boolean {
  const given = Buffer.from(ticket, "base64url");
  return (
    given.length === BYTES &&
    listDigests(toText(paymentId), peppers).some((one) =>
      timingSafeEqual(one.subarray(0, BYTES), given),
    )
  );
}

/** A text of another length is no credential; the route's own rule refuses it. */
export function readTicket(queryText: string): string | undefined {
  const ticket = new URLSearchParams(queryText).get("ticket") ?? "";
  return ticket !== "" && ticket.length <= TICKET_LENGTH_MAX ? ticket : undefined;
}
