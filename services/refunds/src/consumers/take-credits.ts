// What payments add to the wallets of their merchants. A credit arrives later than its payment, by the time that an event
// takes, so the check of settlements can be too strict for a moment and never too loose.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { type Credit, toCredit } from "../domain/credit.ts";
import { creditWallets } from "../storage/wallets.ts";

/** The events after which a payment has received more, or, after a reorganisation of the chain, nothing. */
export const CREDIT_TYPES = [
  "payment.confirmed",
  "payment.surplus",
  "payment.refunded",
  "payment.processing",
  "payment.failed",
] as const satisfies EventType[];

export async function takeCredits(events: readonly Event[], tx: PoolClient): Promise<void> {
  const latest = new Map<string, Credit>();
  for (const { resource } of events) {
    if (resource.case !== "payment") continue;
    const credit = toCredit(resource.value);
    const known = latest.get(credit.payment_id);
    if (known === undefined || known.version < credit.version)
      latest.set(credit.payment_id, credit);
  }
  await creditWallets(tx, [...latest.values()]);
}
