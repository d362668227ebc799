// Compares payments with their proven transfers, which are in the database of chains. The two may differ while an
// event is under way, and no longer.
import type { Payment } from "./payment.ts";
import { isPaid } from "./state.ts";

/** unconfirmed: paid by its own sums without a confirmation; received: another sum is proven. */
export type ProofFault = "unconfirmed" | "received";

/** The proven sum is in base units. */
export function describeFault(payment: Payment, proven: bigint): ProofFault | undefined {
  if ((payment.final_base_amount ?? 0n) !== proven) return "received";
  const isDone = payment.status === "confirmed" || payment.status === "refunded";
  return isPaid(payment) && !isDone ? "unconfirmed" : undefined;
}

/** The longest delay of an event, with the retries of a consumer. */
const GRACE_MS = 600_000;
/** Enough for an operator. */
const SUSPECTS_MAX = 1_000;

export interface Suspect {
  payment: Payment;
  fault: ProofFault;
  since: Date;
}

/** Payments that differ, each since the first comparison that found it. */
export type Suspects = ReadonlyMap<string, Suspect>;

/** Payments that were not compared stay as they were. */
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
