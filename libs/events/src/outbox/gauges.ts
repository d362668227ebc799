import type { Database } from "@pay/database";
import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";
import type { Floor } from "./floor.ts";

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

const SAMPLE = `
  select (select count(*)::int from (
      select from outbox where id > $1 order by id limit ${COUNT_MAX}) as counted) as waiting,
    coalesce((select extract(epoch from now() - created_at)::float8
      from outbox where id > $1 order by id limit 1), 0) as age,
    pg_stat_get_dead_tuples('outbox'::regclass)::int as dead,
    (select coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 from pg_stat_activity
      where backend_xmin is not null and datname = current_database()) as snapshot`;

interface Sample {
  waiting: number;
  age: number;
  dead: number;
  snapshot: number;
}

/** Sampled in the background: a scrape must not wait for the database. */
export function startOutboxGauges({
  db,
  runtime,
  floor,
}: {
  db: Database;
  runtime: Runtime;
  floor: Pick<Floor, "next">;
}): void {
  const { service } = runtime;
  async function sample() {
    const { rows } = await db.pool.query<Sample>(SAMPLE, [floor.next().toString()]);
    const { waiting = 0, age = 0, dead = 0, snapshot = 0 } = rows[0] ?? {};
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
