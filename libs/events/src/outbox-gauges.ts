import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";

const INTERVAL_MS = 5_000;
/** Beyond it the exact number says nothing more, and counting would burden a database that has enough to do. */
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

const SAMPLE = `
  select (select count(*)::int from (select from outbox limit ${COUNT_MAX}) as counted) as waiting,
    coalesce((select extract(epoch from now() - created_at)::float8 from outbox order by id limit 1), 0) as age`;

/** Sampled in the background: a scrape must not wait for the database. */
export const startOutboxGauges = ({ db, runtime }: { db: Database; runtime: Runtime }): void => {
  const { service } = runtime;
  const sample = async () => {
    const { rows } = await db.pool.query<{ waiting: number; age: number }>(SAMPLE);
    unpublished.set({ service }, rows[0]?.waiting ?? 0);
    oldestAge.set({ service }, Math.max(rows[0]?.age ?? 0, 0));
  };
  every({
    name: `gauges of the outbox in ${db.name}`,
    intervalMs: INTERVAL_MS,
    runtime,
    act: sample,
  });
};
