// A customer continues in another browser, e.g. that of a wallet. Links to wallets lose the part behind #, so a code
// in the path, valid once and briefly, stands for the client secret.
import { createHash } from "node:crypto";
import { Failure } from "@pay/failures";
import type { Payment } from "./payment.ts";

/** Enough to open an installed app, and too short for a link that is stored or shared. */
export const HANDOFF_MS = 2 * 60_000;

const PAYABLE: ReadonlySet<string> = new Set(["created", "pending", "failed"]);

export function refuseHandoff(
  { status, expires_at, needs }: Pick<Payment, "status" | "expires_at" | "needs">,
  now: Date,
): Failure | undefined {
  // The wallet that paid is often in another browser, and it may sign after the time limit.
  if (needs === "payer_signature") return undefined;
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
