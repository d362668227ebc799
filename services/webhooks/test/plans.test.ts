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
}, 60_000);
afterAll(() => drop?.());

interface Live {
  id: string;
  day: Date;
}

async function insertLive(count: number): Promise<Live[]> {
  const { rows } = await pool.query<Live>(
    `insert into deliveries (event_id, endpoint_id, owner, next_attempt_at)
     select 'evt_' || gen_random_uuid(), 'we_1', 1, now() from generate_series(1, $1) returning id, day`,
    [count],
  );
  return rows;
}

function success({ id, day }: Live): Result {
  return {
    delivery: {
      ...{ id, day, endpointId: "we_1", owner: 1, attempts: 0, eventId: newId("evt"), mode: 1 },
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

test("results are written by primary key after an analysis of quiet tables, however many rows are live", async () => {
  const early = await insertLive(200);
  await finishAttempts(pool, early.map(success), 0);
  await pool.query("vacuum analyze");
  const live = await insertLive(LIVE);
  const tookMs: number[] = [];
  for (let at = 0; at < 20; at++) {
    const list = live.slice(at * LIST, (at + 1) * LIST);
    const startedAt = performance.now();
    expect(await finishAttempts(pool, list.map(success), 0)).toEqual(
      new Set(list.map(({ id }) => id)),
    );
    tookMs.push(performance.now() - startedAt);
  }
  // The product of list and live rows takes above 100 ms on any machine; look-ups by key take about two.
  expect(tookMs.sort((a, b) => a - b)[10]).toBeLessThan(40);
});

test("a result for a row of another owner, another attempt or no row at all changes nothing", async () => {
  const [live] = await insertLive(1);
  if (live === undefined) throw new Error("no row was inserted");
  const one = success(live);
  const others = [
    { ...one, delivery: { ...one.delivery, owner: 2 } },
    { ...one, delivery: { ...one.delivery, attempts: 1 } },
    success({ ...live, id: randomUUID() }),
    success({ ...live, day: new Date(live.day.getTime() + 86_400_000) }),
  ];
  expect(await finishAttempts(pool, others, 0)).toEqual(new Set());
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set([live.id]));
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set());
});
