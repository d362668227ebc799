import { type Change, move, type Payment, TRANSITIONS } from "./payment.ts";

const ATTEMPTS_MAX = 5;
const WAITING = ["created", "pending"];

/** What a submitted hash means for a payment: the payment after it, nothing new, or a refusal in public words. */
export type Submission =
  | { kind: "moved"; payment: Payment }
  | { kind: "unchanged" }
  | { kind: "refused"; message: string };

const refused = (message: string): Submission => ({ kind: "refused", message });

/**
 * "In time" for a transfer is when it was mined, but a new hash is taken only before expiresAt: afterwards nobody
 * could tell the shopper's payment from one that was meant for a later order.
 */
export const submission = (
  payment: Payment,
  txHash: string,
  payer: string | undefined,
  now: Date,
): Submission => {
  const { status, attempts } = payment;
  if (payment.tx_hash === txHash && !isRetry(payment)) {
    return status === "expired" ? refused("Payment is expired") : { kind: "unchanged" };
  }
  if (status === "confirmed") return refused("Payment is already confirmed");
  const expired = now > payment.expires_at;
  if (status === "expired" || (expired && WAITING.includes(status))) {
    return refused("Payment is expired");
  }
  if (attempts >= ATTEMPTS_MAX) return refused("Payment has used all its attempts");
  const change: Change = {
    tx_hash: txHash,
    attempts: attempts + 1,
    failure_code: null,
    block_number: null,
    ...(payer === undefined ? {} : { payer_address: payer }),
  };
  const moved = expired ? undefined : move(payment, "submit", change);
  if (moved !== undefined) return { kind: "moved", payment: moved };
  return refused(`Payment is ${status}; expected ${TRANSITIONS.submit.from.join(", ")}`);
};

/** A failed hash may be sent again: what it lacked, e.g. a second transfer, may be there now. */
const isRetry = (payment: Payment): boolean => payment.status === "failed";
