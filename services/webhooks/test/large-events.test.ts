// Large events: what a statement holds is bounded by bytes, and what waits takes no more memory than its bodies.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, testDatabase, until } from "@pay/testing";
import { claimDeliveries } from "../src/storage/cross-tenant.ts";
import {
  aMerchant,
  authority,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

const COUNT = 60;
const ORDER_BYTES = 60_000;

let webhooks: TestWebhooks;
let receiver: Receiver;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
  receiver = await startReceiver({ authority });
});
afterAll(async () => {
  await receiver?.stop();
  await webhooks?.stop();
});

function largeEvents(projectId: string, count: number) {
  return Array.from({ length: count }, (_, at) =>
    paymentEvent(projectId, { payment: { orderId: `${at} ${"o".repeat(ORDER_BYTES)}` } }),
  );
}

test("a list of large events is stored in parts and sent completely", async () => {
  const { pool, bus } = webhooks;
  await pool.query(`
    create sequence event_statements;
    create function note_statement() returns trigger language plpgsql as
      $$ begin perform nextval('event_statements'); return null; end $$;
    create trigger note_statement before insert on events
      for each statement execute function note_statement()`);
  const merchant = await aMerchant(webhooks, receiver.url);
  await publish(bus, ...largeEvents(merchant.projectId, COUNT));
  await until(() => receiver.all.length >= COUNT);
  const orders = receiver.all.map(({ body }) => JSON.parse(body.toString()).orderId as string);
  expect(orders.every((order) => order.length > ORDER_BYTES)).toBe(true);
  expect(new Set(orders.map((order) => order.split(" ")[0])).size).toBe(COUNT);
  // Sixty of 60 kB are 3.6 MB, which is four statements of at most a megabyte.
  const { rows } = await pool.query("select last_value::int as count from event_statements");
  expect(rows[0].count).toBeGreaterThanOrEqual(4);
});

test("a claimed delivery keeps no more memory than its body", async () => {
  const { pool, drop } = await testDatabase("services/webhooks");
  await pool.query(`
    with stored as (
      insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
      values ('evt_1', 'proj_1', 1, 'payment.confirmed', 'pay_1', 1, '{"id":"pay_1"}', now()) returning id, day
    )
    insert into deliveries (event_id, day, endpoint_id, next_attempt_at)
    select id, day, 'we_1', now() from stored`);
  const claimed = await claimDeliveries(pool, {
    rooms: new Map([["we_1", 1]]),
    owner: 1,
    lookaheadMs: 1_000,
    since: new Date(0),
    now: () => 0,
  });
  expect(claimed.map(({ body }) => [body.toString(), body.buffer.byteLength])).toEqual([
    ['{"id":"pay_1"}', 14],
  ]);
  await drop();
});
