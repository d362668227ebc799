import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";
import { countDeadLetters, purgeDeadLetters } from "../generated/sql.ts";

const INTERVAL_MS = 15_000;
/** Long enough for an operator to look at one, and an end all the same. */
const KEPT_DAYS = 90;
const PURGE_ROWS = 1_000;

const deadLetters = new Gauge({
  name: "dead_letters",
  help: "Events that a service could not handle or publish, stored until an operator decides",
  labelNames: ["service"],
});

const watched = new WeakSet<Database>();

/** Keeps the gauge and deletes what is too old. The relay and each consumer of a database call it; it starts once. */
export function watchDeadLetters({ db, runtime }: { db: Database; runtime: Runtime }): void {
  if (watched.has(db)) return;
  watched.add(db);
  const { service } = runtime;
  every({
    name: `dead letters of ${db.name}`,
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      await purgeDeadLetters(db.pool, { days: KEPT_DAYS, limit: PURGE_ROWS });
      const [counted] = await countDeadLetters(db.pool);
      deadLetters.set({ service }, counted?.count ?? 0);
    },
  });
}
