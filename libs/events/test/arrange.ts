// The words the tests of relay and consumer share: events of a few payments, what they leave behind, and parts that
// are stopped after the test.
import { type Database, openDatabase } from "@pay/database";
import { createTestRuntime, type Log, type Runtime } from "@pay/process";
import { until } from "@pay/testing";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import {
  type Bus,
  type BusRecord,
  type ConsumeOptions,
  consume,
  createLocalBus,
  type OutboxRow,
  outboxRow,
  PUBLIC_TYPES,
} from "../src/index.ts";
import { leaveEffects } from "./leave-effects.ts";

export const SAMPLE = "libs/events/test/sample";

/** The n-th change of a payment. */
export function change(payment: string, sequence: number, project = "proj_1"): OutboxRow {
  return outboxRow({
    id: newId("evt"),
    type: "payment.processing",
    projectId: project,
    resourceId: payment,
    sequence,
    requestId: "req_1",
    resource: { case: "payment", value: { id: payment, projectId: project, version: sequence } },
  });
}

/**
 * As the relay does: the same records again until the bus has them. A broker that is busy or just started may refuse.
 */
export function publishUntilSafe(bus: Bus, records: BusRecord[], timeoutMs?: number) {
  return until(
    () =>
      bus.publish(records).then(
        () => true,
        () => false,
      ),
    { what: "a publication", ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  );
}

export interface Effect {
  event_id: string;
  project_id: string;
  resource_id: string;
  sequence: number;
}

export async function effects(pool: Pool): Promise<Effect[]> {
  return (await pool.query<Effect>("select * from effects order by id")).rows;
}

export async function count(pool: Pool, table: string): Promise<number> {
  return Number((await pool.query(`select count(*) from ${table}`)).rows[0].count);
}

export function untilEffects(pool: Pool, wanted: number, timeoutMs?: number): Promise<Effect[]> {
  return until(
    async () => {
      const found = await effects(pool);
      return found.length >= wanted && found;
    },
    { what: `${wanted} effects`, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
  );
}

export interface DeadLetter {
  consumer: string;
  topic: string;
  event_id: string | null;
  payload: Buffer;
  error: string;
}

export async function deadLetters(pool: Pool): Promise<DeadLetter[]> {
  return (await pool.query<DeadLetter>("select * from dead_letters order by id")).rows;
}

/** Sequences per payment in the order in which they took effect. */
export function sequences(found: Effect[]): Record<string, number[]> {
  const groups = Object.groupBy(found, ({ resource_id }) => resource_id);
  return Object.fromEntries(
    Object.entries(groups).map(([payment, list = []]) => [
      payment,
      list.map((one) => one.sequence),
    ]),
  );
}

/** A process's life and its own connections to the database; stopped together. */
export function aProcess(
  url: string,
  options: { log?: Log } = {},
): Runtime & { db: Database; stop(): Promise<boolean> } {
  const runtime = createTestRuntime("sample", options);
  return { ...runtime, db: openDatabase({ url, poolMax: 5, runtime }) };
}

/** A consumer of the usual handler, or of another one, on a bus of its own. */
export async function startConsumer(url: string, handle: ConsumeOptions["handle"] = leaveEffects) {
  const bus = createLocalBus();
  const runtime = aProcess(url);
  await consume({ bus, db: runtime.db, runtime, consumer: "sample", types: PUBLIC_TYPES, handle });
  return { bus, runtime };
}
