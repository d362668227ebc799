import type { Payment } from "./payment.ts";

/** How a payment ends whose time is over, and why. */
export function getEnd({ tx_hash, reorged_at }: Pick<Payment, "tx_hash" | "reorged_at">): {
  trigger: "expire" | "fail";
  change: { failure_code?: string };
} {
  if (tx_hash === null) return { trigger: "expire", change: {} };
  return reorged_at === null
    ? { trigger: "expire", change: { failure_code: "not_found" } }
    : { trigger: "fail", change: { failure_code: "reorged" } };
}
