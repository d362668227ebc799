// Credits payments to the wallets of their merchants. A credit arrives later than its payment, so the check of
// settlements can be too strict for a moment and never too loose.
import type { EventType } from "@pay/events";
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import { type Credit, toCredit } from "../domain/credit.ts";
import { creditWallets } from "../storage/wallets.ts";

/** Events that change the received amount of a payment, also to nothing after a reorganisation of the chain. */
export const CREDIT_TYPES = [
  "payment.confirmed",
  "payment.received",
  "payment.refunded",
  "payment.processing",
  "payment.failed",
] as const satisfies EventType[];

export async function addWalletCredits(events: readonly Event[], tx: PoolClient): Promise<void> {
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
