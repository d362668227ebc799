// The statements of the hot path on tables that the server has analysed while they were quiet. The planner then expects
// no live rows, and a plan that is right for none must not be a slow one for thousands.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { testDatabase } from "@pay/testing";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import type { Result } from "../src/delivery/delivery.ts";
import { finishAttempts } from "../src/storage/internal.ts";

const LIVE = 12_000;
const LIST = 50;

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ pool, drop } = await testDatabase("services/webhooks"));
});
afterAll(() => drop?.());

async function insertLive(count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into deliveries (event_id, endpoint_id, owner, next_attempt_at)
     select 'evt_' || gen_random_uuid(), 'we_1', 1, now() from generate_series(1, $1) returning id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

function success(id: string): Result {
  return {
    delivery: {
      ...{ id, endpointId: "we_1", owner: 1, attempts: 0, eventId: newId("evt"), mode: 1 },
      ...{ eventType: "payment.confirmed", resourceId: "pay_1", sequence: 1, dueAt: 0 },
      body: Buffer.from("{}"),
    },
    next: { state: "delivered", delayMs: 0 },
    endedAt: 0,
    log: {
      ...{
        number: 1,
        startedAt: new Date(),
        durationMs: 5,
        url: "https://a.example/",
        statusCode: 200,
        error: undefined,
      },
      ...{ remoteAddress: "192.0.2.1", retryAfter: undefined },
      response: Buffer.from("ok"),
      responseComplete: true,
    },
  };
}

/** The median time that a list of results takes. */
async function usualMs(ids: readonly string[]): Promise<number> {
  const tookMs: number[] = [];
  for (let at = 0; at < ids.length; at += LIST) {
    const list = ids.slice(at, at + LIST);
    const startedAt = performance.now();
    expect(await finishAttempts(pool, list.map(success), 0)).toEqual(new Set(list));
    tookMs.push(performance.now() - startedAt);
  }
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? Number.NaN;
}

test("results are written by primary key after an analysis of quiet tables, however many rows are live", async () => {
  // With so few rows every plan is fast, so this is what the machine itself needs.
  const quietMs = await usualMs(await insertLive(10 * LIST));
  await pool.query("vacuum analyze");
  const live = await insertLive(LIVE);
  // Look-ups by key take about two milliseconds, the product of list and live rows takes above 100.
  expect(await usualMs(live.slice(0, 20 * LIST))).toBeLessThan(40 + 5 * quietMs);
});

test("a result for a row of another owner, another attempt or no row at all changes nothing", async () => {
  const [id = ""] = await insertLive(1);
  const one = success(id);
  const others = [
    { ...one, delivery: { ...one.delivery, owner: 2 } },
    { ...one, delivery: { ...one.delivery, attempts: 1 } },
    success(randomUUID()),
  ];
  expect(await finishAttempts(pool, others, 0)).toEqual(new Set());
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set([id]));
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set());
});
