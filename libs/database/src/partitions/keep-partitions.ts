import { every, type Runtime } from "@pay/process";
import { Gauge } from "prom-client";
import type { Database } from "../connect.ts";
import { listPartitionedTables } from "../generated/sql.ts";
import { createPartitions, dropPartitions } from "./partitions.ts";

const INTERVAL_MS = 60_000;

const labelNames = ["database", "table"] as const;
const partitions = new Gauge({
  name: "time_partitions",
  help: "Partitions of a table whose rows leave by time",
  labelNames,
});
const ahead = new Gauge({
  name: "time_partitions_ahead_seconds",
  help: "Time until the last partition of a table ends; at 0 inserts fail",
  labelNames,
});
const overdue = new Gauge({
  name: "time_partitions_overdue",
  help: "Partitions that are over and could not be dropped yet, because a transaction holds their table",
  labelNames: ["database"],
});

/** Resolves when the partitions of the present exist; creates and drops them from then on. */
export async function keepPartitions({
  db,
  runtime,
}: {
  db: Database;
  runtime: Runtime;
}): Promise<void> {
  const { pool, name: database } = db;
  await createPartitions(pool);
  every({
    name: `partitions of ${database}`,
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      await createPartitions(pool);
      const waiting = await dropPartitions(pool);
      overdue.set({ database }, waiting.length);
      for (const table of await listPartitionedTables(pool)) {
        const labels = { database, table: table.table_name };
        partitions.set(labels, table.partitions);
        ahead.set(labels, table.ahead_seconds);
      }
    },
  });
}
