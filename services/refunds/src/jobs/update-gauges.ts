import { every, type Runtime } from "@pay/process";
import type { Deps } from "../deps.ts";
import { paymentsUncovered, refundsHeld, settlementsHeld, walletsUncovered } from "../metrics.ts";
import { countOnHold } from "../storage/cross-tenant.ts";

const INTERVAL_MS = 30_000;

/** Updates gauges in the background: a scrape must not wait for the database. */
export function startUpdateGauges({ db }: Deps, runtime: Runtime): void {
  every({
    name: "gauges of records on hold, uncovered wallets and payments",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const { refunds, settlements, wallets, payments } = await countOnHold(db.pool);
      refundsHeld.set(refunds);
      settlementsHeld.set(settlements);
      walletsUncovered.set(wallets);
      paymentsUncovered.set(payments);
    },
  });
}
