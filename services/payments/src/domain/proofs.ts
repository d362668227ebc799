// What a payment is compared with: the transfers that chains has proven for it. The two are in different databases, and an event
// carries what one of them learns to the other, so they may differ while it is under way and not for longer.
import { isCancelled } from "./change.ts";
import type { Payment } from "./payment.ts";

/** unconfirmed: money is proven and the payment is not confirmed. received: the payment is confirmed with another sum. */
export type ProofFault = "unconfirmed" | "received";

/** In base units, what has proven the payment; undefined for nothing. */
export function describeFault(
  payment: Payment,
  proven: bigint | undefined,
): ProofFault | undefined {
  if (payment.status === "confirmed" || payment.status === "refunded") {
    const received = payment.received_base_amount ?? payment.base_amount;
    return received === (proven ?? 0n) ? undefined : "received";
  }
  // The merchant cancelled the payment, so the merchant decides about money that arrives after that.
  return proven === undefined || isCancelled(payment) ? undefined : "unconfirmed";
}

/** As long as an event may be under way, or be written again by a consumer that met a fault. */
const GRACE_MS = 600_000;
/** More than an operator reads. */
const SUSPECTS_MAX = 1_000;

export interface Suspect {
  payment: Payment;
  fault: ProofFault;
  since: Date;
}

/** Payments that differed at the last comparison, with the time of the first one that found it. */
export type Suspects = ReadonlyMap<string, Suspect>;

/** What is suspected after a look at these payments; one that is not among them stays as it was. */
export function updateSuspects(
  before: Suspects,
  looked: readonly { payment: Payment; fault: ProofFault | undefined }[],
  now: Date,
): Suspects {
  const after = new Map(before);
  for (const { payment, fault } of looked) {
    const known = before.get(payment.id);
    const since = known !== undefined && known.fault === fault ? known.since : now;
    if (fault === undefined) after.delete(payment.id);
    else if (known !== undefined || after.size < SUSPECTS_MAX)
      after.set(payment.id, { payment, fault, since });
  }
  return after;
}

export function isBroken({ since }: Suspect, now: Date): boolean {
  return now.getTime() - since.getTime() >= GRACE_MS;
}
