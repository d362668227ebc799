// Credits payments to the wallets of their merchants. A credit arrives later than its payment, so the check of
// settlements can be too strict for a moment and never too loose.
import { EVENT_TYPES, type EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import { type Credit, toCredit } from "../domain/credit.ts";

/** Every event of a payment tells what is proven of it; a new payment has received nothing. */
export const CREDIT_TYPES: readonly EventType[] = (Object.keys(EVENT_TYPES) as EventType[]).filter(
  (type) => type.startsWith("payment.") && type !== "payment.created",
);

/** The newest version of each payment. */
export function readCredits(events: readonly Event[]): Credit[] {
  const latest = new Map<string, Credit>();
  for (const { resource } of events) {
    if (resource.case !== "payment") continue;
    const credit = toCredit(resource.value);
    const known = latest.get(credit.payment_id);
    if (known === undefined || known.version < credit.version)
      latest.set(credit.payment_id, credit);
  }
  return [...latest.values()];
}
