import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";
import { sampleOutbox } from "../generated/sql.ts";
import type { LowWaterMark } from "./low-water-mark.ts";

const INTERVAL_MS = 5_000;
/** Above it the exact number is of no use, and a count would slow down a busy database. */
const COUNT_MAX = 100_000;

const unpublished = new Gauge({
  name: "outbox_unpublished",
  help: `Events waiting for the bus, counted up to ${COUNT_MAX}`,
  labelNames: ["service"],
});

const oldestAge = new Gauge({
  name: "outbox_oldest_age_seconds",
  help: "Age of the oldest event waiting for the bus; 0 when none waits",
  labelNames: ["service"],
});

const deadRows = new Gauge({
  name: "outbox_dead_rows",
  help: "Published events that vacuum cannot remove yet, because a snapshot that was taken before is still open",
  labelNames: ["service"],
});

const oldestSnapshot = new Gauge({
  name: "database_oldest_snapshot_seconds",
  help: "Age of the oldest snapshot in the database, of those that the service's role may see",
  labelNames: ["service"],
});

/** Sampled in the background: a scrape must not wait for the database. */
export function startOutboxGauges({
  db,
  runtime,
  floor,
}: {
  db: Database;
  runtime: Runtime;
  floor: Pick<LowWaterMark, "next">;
}): void {
  const { service } = runtime;
  async function sample() {
    const [sampled] = await sampleOutbox(db.pool, { floor: floor.next(), countMax: COUNT_MAX });
    const { waiting = 0, age = 0, dead = 0, snapshot = 0 } = sampled ?? {};
    unpublished.set({ service }, waiting);
    oldestAge.set({ service }, Math.max(age, 0));
    deadRows.set({ service }, dead);
    oldestSnapshot.set({ service }, snapshot);
  }

  every({
    name: `gauges of the outbox in ${db.name}`,
    intervalMs: INTERVAL_MS,
    runtime,
    act: sample,
  });
}
