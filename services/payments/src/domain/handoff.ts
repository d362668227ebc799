// A shopper goes on in another browser, e.g. the one inside a wallet. Links to wallets lose what is behind a #, so the
// client secret cannot go along: a code in the path does, which works once and for a short time.
import { createHash } from "node:crypto";
import { Failure } from "@pay/failures";
import type { Payment } from "./payment.ts";

/** Enough time to change to an app that is installed. A link that is stored or shared opens nothing later. */
export const HANDOFF_MS = 2 * 60_000;

const PAYABLE: ReadonlySet<string> = new Set(["created", "pending", "failed"]);

/** Why the payment is not handed on: there is nothing left to pay, or no time for it, and no signature is wanted. */
export function refuseHandoff(
  { status, expires_at, needs }: Pick<Payment, "status" | "expires_at" | "needs">,
  now: Date,
): Failure | undefined {
  // The wallet that paid is often in another browser than the page, and it may sign after the time to pay.
  if (status === "processing" && needs === "payer_signature") return undefined;
  if (status === "expired" || now > expires_at) {
    return new Failure("payment_expired", "Payment is expired");
  }
  if (PAYABLE.has(status)) return undefined;
  const expected = [...PAYABLE].join(", ");
  return new Failure("payment_status_invalid", `Payment is ${status}; expected ${expected}`);
}

export function digestOfCode(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
