// How fast does the outbox drain, and how long after its commit has an event been consumed? Real PostgreSQL, real
// Kafka, one process for relay and consumer, all on this machine; bounded in rows and in time.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, findMigrationFiles, migrate, openDatabase } from "@pay/database";
import { startKafka, startPostgres } from "@pay/embedded";
import { appendOutbox, type Bus, consume, createKafkaBus, startRelay } from "@pay/events";
import { createTestRuntime, type Runtime } from "@pay/process";
import { figure, median } from "./figures.ts";
import { anEvent } from "./parts/an-event.ts";
import { withUndo } from "./parts/with-undo.ts";

const WARM_UP_ROWS = 10_000;
const DRAIN_ROWS = 100_000;
const INSERT_ROWS = 1_000;
const RATE_PER_S = 500;
const RATE_SECONDS = 20;
const WAIT_MAX_MS = 120_000;
const SERVICE = join(import.meta.dirname, "..", "services", "payments");

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-relay-"));
  await withUndo(async (undo) => {
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    undo.push(() => postgres.stop());
    const url = await postgres.provide("payments");
    const kafka = await startKafka({ dataDir: join(folder, "kafka") });
    undo.push(() => kafka.kill());
    const runtime = createTestRuntime("bench");
    undo.push(() => runtime.stop());
    await migrate({ url, ...findMigrationFiles(SERVICE), log: runtime.log });
    const db = openDatabase({ url, poolMax: 10, runtime });
    const bus = await createKafkaBus({ brokers: kafka.brokers, clientId: "bench", runtime });
    await measureDrain(db, bus);
    await measureLatency(db, bus, runtime);
  });
}

async function measureDrain(db: Database, bus: Bus): Promise<void> {
  async function drain(rows: number): Promise<number> {
    for (let n = 0; n < rows; n += INSERT_ROWS) {
      await appendOutbox(db.pool, Array.from({ length: INSERT_ROWS }, anEvent));
    }
    const runtime = createTestRuntime("bench");
    const begun = performance.now();
    startRelay({ db, bus, runtime });
    await untilTrue(() => isEmpty(db));
    const seconds = (performance.now() - begun) / 1_000;
    await runtime.stop();
    return rows / seconds;
  }

  await drain(WARM_UP_ROWS);
  const rounds = [await drain(DRAIN_ROWS), await drain(DRAIN_ROWS), await drain(DRAIN_ROWS)];
  figure("relay.drain_per_s", median(rounds), "events/s");
}

async function measureLatency(db: Database, bus: Bus, runtime: Runtime): Promise<void> {
  const committedAt = new Map<string, number>();
  const latenciesMs: number[] = [];
  let ended = 0;
  // Consumed means that the consumer's transaction is committed.
  const measured: Bus = {
    ...bus,
    subscribe: (subscription) =>
      bus.subscribe({
        ...subscription,
        handle: async (records) => {
          await subscription.handle(records);
          const now = performance.now();
          for (const { eventId } of records) {
            const begun = committedAt.get(eventId);
            if (begun === undefined) continue;
            latenciesMs.push(now - begun);
            committedAt.delete(eventId);
          }
          ended += records.length;
        },
      }),
  };
  const types = ["payment.created"] as const;
  await consume({ bus: measured, db, runtime, consumer: "bench", types, handle: async () => {} });
  // What the drain left on the topic is consumed first.
  const drained = WARM_UP_ROWS + 3 * DRAIN_ROWS;
  const [consumedFrom, cpuBefore] = [performance.now(), process.cpuUsage()];
  await untilTrue(async () => ended >= drained);
  const { user, system } = process.cpuUsage(cpuBefore);
  figure("relay.consume_per_s", (drained * 1_000) / (performance.now() - consumedFrom), "events/s");
  figure("relay.consume_cpu_us", (user + system) / drained, "us of this process for each event");
  const { wake } = startRelay({ db, bus, runtime });

  const begun = performance.now();
  const total = RATE_PER_S * RATE_SECONDS;
  const inserts: Promise<void>[] = [];
  for (let n = 0; n < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * RATE_PER_S));
    for (; n < due; n++) {
      const row = anEvent();
      // Where it is consumed before the answer to its commit is read, its time counts from here.
      committedAt.set(row.eventId, performance.now());
      inserts.push(
        appendOutbox(db.pool, [row]).then(() => {
          if (committedAt.has(row.eventId)) committedAt.set(row.eventId, performance.now());
          wake();
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(inserts);
  await untilTrue(async () => latenciesMs.length === total);
  const sorted = latenciesMs.sort((a, b) => a - b);
  figure("relay.p50_ms", median(sorted), "ms");
  figure("relay.p99_ms", sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, "ms");
  figure("relay.max_ms", sorted.at(-1) ?? Number.NaN, "ms");
}

async function isEmpty(db: Database): Promise<boolean> {
  const { rows } = await db.pool.query("select 1 from outbox limit 1");
  return rows.length === 0;
}

async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not there within ${WAIT_MAX_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
