// Events, their deliveries and attempts are in partitions by the day of the event, and leave with them.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type BusRecord, type NewEvent, outboxRow } from "@pay/events";
import { type Receiver, startReceiver, type TestDatabase, testDatabase, until } from "@pay/testing";
import { newId } from "@pay/values";
import { toDeliveryId } from "../src/domain/delivery-id.ts";
import {
  aMerchant,
  authority,
  ended,
  type Merchant,
  paymentEvent,
  publish,
  startTestWebhooks,
  storedDeliveries,
  type TestWebhooks,
} from "./webhooks.ts";

const DAY_MS = 86_400_000;
/** A drop that has to wait for a lock is tried again a minute later. */
const PATIENT = { timeoutMs: 150_000 };
const TABLES = ["events", "deliveries", "attempts"];

let database: TestDatabase;
let webhooks: TestWebhooks;
let receiver: Receiver;
let merchant: Merchant;
beforeAll(async () => {
  database = await testDatabase("services/webhooks");
  // Days of the past, as a service that has run for a while has them.
  for (const days of [40, 10, 1]) await addDay(days);
  await storeEvent("evt_old", 40);
  webhooks = await startTestWebhooks({}, database);
  receiver = await startReceiver({ authority });
});
afterAll(async () => {
  await receiver?.stop();
  await webhooks?.stop();
});
beforeEach(async () => {
  merchant = await aMerchant(webhooks, receiver.url);
});

/** Counted from one day, also where the file runs across midnight. */
const BEGAN = Date.now();

function dayAt(daysAgo: number, now = BEGAN): Date {
  return new Date(Math.floor(now / DAY_MS - daysAgo) * DAY_MS);
}

function getPartition(table: string, daysAgo: number): string {
  return `${table}_${dayAt(daysAgo).toISOString().slice(0, 10).replaceAll("-", "")}00`;
}

async function addDay(daysAgo: number) {
  const [from, to] = [dayAt(daysAgo).toISOString(), dayAt(daysAgo - 1).toISOString()];
  for (const table of TABLES) {
    const name = getPartition(table, daysAgo);
    await database.pool.query(
      `create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')`,
    );
  }
}

async function storeEvent(
  id: string,
  daysAgo: number,
  owner = { projectId: "proj_1", endpointId: "we_1" },
) {
  await database.pool.query(
    `with stored as (
       insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at, day)
       values ($1, $2, 1, 'payment.confirmed', 'pay_1', 1, '{}', $4, $4) returning id, day
     )
     insert into deliveries (event_id, day, endpoint_id, state, attempts, next_attempt_at, finished_at)
     select id, day, $3, 'failed', 4, now(), now() from stored`,
    [id, owner.projectId, owner.endpointId, dayAt(daysAgo)],
  );
}

async function readDays(eventId: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ partition: string }>(
    `select tableoid::regclass::text as partition from events where id = $1
     union all select tableoid::regclass::text from deliveries where event_id = $1
     union all select attempts.tableoid::regclass::text from attempts
       join deliveries on deliveries.id = delivery_id where event_id = $1`,
    [eventId],
  );
  return rows.map(({ partition }) => partition);
}

function toEvent(daysAgo: number, id = newId("evt")) {
  const occurredAt = timestampFromDate(new Date(dayAt(daysAgo).getTime() + 1_000));
  return { ...paymentEvent(merchant.projectId), id, occurredAt };
}

test("an event, its delivery and attempts are stored once, on the day of the event", async () => {
  const event = toEvent(1);
  await publish(webhooks.bus, event);
  await ended(webhooks, event.id);
  await publish(webhooks.bus, event);
  await publish(webhooks.bus, toEvent(1));
  await receiver.next();
  await receiver.next();
  expect(await readDays(event.id)).toEqual(TABLES.map((table) => getPartition(table, 1)));
  expect(await storedDeliveries(webhooks, event.id)).toHaveLength(1);
});

test.each([
  ["of a day without a partition", 20],
  ["older than what is kept", 400],
  ["of a clock that is ahead", -9],
])("an event %s is stored under today", async (_, daysAgo) => {
  const event = toEvent(daysAgo);
  const before = dayAt(0, Date.now());
  await publish(webhooks.bus, event);
  await ended(webhooks, event.id);
  const days = [before, dayAt(0, Date.now())].map((day) =>
    day.toISOString().slice(0, 10).replaceAll("-", ""),
  );
  const [stored = ""] = await readDays(event.id);
  expect(days.map((day) => `events_${day}00`)).toContain(stored);
});

test("an event of an earlier day is redelivered at once", async () => {
  const eventId = newId("evt");
  await storeEvent(eventId, 10, merchant);
  const [before] = await storedDeliveries(webhooks, eventId);
  const tenant = { projectId: merchant.projectId, mode: 1 };
  const { delivery } = await webhooks.client.redeliver({
    tenant,
    endpointId: merchant.endpointId,
    id: toDeliveryId(before?.id ?? ""),
  });
  await until(async () => {
    const list = await storedDeliveries(webhooks, eventId);
    return list.some(({ state }) => state === "delivered");
  });
  expect(delivery).toMatchObject({ redeliveries: 1 });
  expect(new Set(await readDays(eventId))).toEqual(
    new Set(TABLES.map((table) => getPartition(table, 10))),
  );
  const list = await webhooks.client.listDeliveries({ tenant, endpointId: merchant.endpointId });
  expect(list.deliveries.map(({ attempts }) => attempts.length)).toEqual([1, 0]);
});

test("a record older than every stored event is not delivered again", async () => {
  const { rows } = await database.pool.query(
    "select distinct kept from time_partitions where table_name = any($1)",
    [TABLES],
  );
  expect(rows).toEqual([{ kept: 30 }]);
  function toRecord(id: string, daysAgo: number): BusRecord {
    const publishedAt = new Date(Date.now() - daysAgo * DAY_MS);
    const event = { ...paymentEvent(merchant.projectId), id };
    return {
      ...outboxRow({ ...event, occurredAt: timestampFromDate(publishedAt) } as NewEvent),
      place: { partition: 0, offset: "1", publishedAt },
    };
  }

  const [outdated, old] = [newId("evt"), newId("evt")];
  const list = [toRecord(outdated, 30.1), toRecord(old, 29.9)];
  await until(
    () =>
      webhooks.bus.publish(list).then(
        () => true,
        () => false,
      ),
    { what: "the bus" },
  );
  await ended(webhooks, old);
  expect(await readDays(outdated)).toEqual([]);
});

test("partitions older than a month are dropped", async () => {
  for (const table of TABLES) {
    await until(async () => {
      const { rows } = await database.pool.query("select to_regclass($1) as found", [
        getPartition(table, 40),
      ]);
      return rows[0]?.found === null;
    }, PATIENT);
  }
  expect(await readDays("evt_old")).toEqual([]);
});
