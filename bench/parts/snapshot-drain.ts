// Does the outbox drain as fast while a backup holds its snapshot? Vacuum must then leave every published row. One
// relay works all the time, as in life, and is held up only while the rows of a round are written.
import { join } from "node:path";
import { type Database, migrate, openDatabase } from "@pay/database";
import { type Postgres, startKafka } from "@pay/embedded";
import { appendOutbox, type Bus, createKafkaBus, startRelay } from "@pay/events";
import { createTestRuntime } from "@pay/process";
import { getSchema } from "@pay/standalone";
import { median } from "../figures.ts";
import { anEvent } from "./an-event.ts";

const ROUND_ROWS = 50_000;
const ROUNDS = 3;
/** Published while the snapshot is held, before the drain is measured again. */
const HELD_ROWS = 250_000;
const INSERT_ROWS = 1_000;
const WAIT_MAX_MS = 120_000;
// The lock that a relay takes for each list.
const RELAY_LOCK = "hashtext('outbox')";

/**
 * Rate of the drain under a held snapshot, as a part of the rate without one; with a database and a broker of its own.
 */
export async function snapshotDrainRatio(postgres: Postgres, folder: string): Promise<number> {
  const url = await postgres.provide("growth_outbox");
  const kafka = await startKafka({ dataDir: join(folder, "kafka") });
  const runtime = createTestRuntime("bench");
  try {
    await migrate({ url, ...getSchema("payments"), log: runtime.log });
    const db = openDatabase({ url, poolMax: 10, runtime });
    const bus = await createKafkaBus({ brokers: kafka.brokers, clientId: "bench", runtime });
    return await measured(db, bus);
  } finally {
    await runtime.stop();
    await kafka.kill();
  }
}

async function measured(db: Database, bus: Bus): Promise<number> {
  const runtime = createTestRuntime("bench");
  let published = 0;
  const counting: Bus = {
    ...bus,
    publish: async (records) => {
      await bus.publish(records);
      published += records.length;
    },
  };
  const { wake } = startRelay({ db, bus: counting, runtime });

  async function drain(rows: number): Promise<number> {
    const wanted = published + rows;
    const holder = await db.pool.connect();
    try {
      await holder.query(`select pg_advisory_lock(${RELAY_LOCK})`);
      for (let n = 0; n < rows; n += INSERT_ROWS) {
        await appendOutbox(db.pool, Array.from({ length: INSERT_ROWS }, anEvent));
      }
      await holder.query(`select pg_advisory_unlock(${RELAY_LOCK})`);
    } finally {
      holder.release();
    }
    const begun = performance.now();
    wake();
    while (published < wanted) {
      if (performance.now() - begun > WAIT_MAX_MS) throw new Error("the outbox does not drain");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return (rows * 1_000) / (performance.now() - begun);
  }

  async function rate(): Promise<number> {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await drain(ROUND_ROWS));
    return median(rates);
  }

  const snapshot = await db.pool.connect();
  try {
    await drain(ROUND_ROWS);
    const before = await rate();
    await snapshot.query("set idle_in_transaction_session_timeout = 0");
    await snapshot.query("begin isolation level repeatable read");
    await snapshot.query("select from outbox limit 1");
    for (let rows = 0; rows < HELD_ROWS; rows += ROUND_ROWS) await drain(ROUND_ROWS);
    return (await rate()) / before;
  } finally {
    snapshot.release(true);
    await runtime.stop();
  }
}
