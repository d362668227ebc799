import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { readOldestWait } from "../src/generated/sql.ts";
import {
  addEndpoint,
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

let webhooks: TestWebhooks;
let receiver: Receiver;
let merchant: Merchant;

beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
afterAll(() => webhooks?.stop());
beforeEach(async () => {
  receiver = await startReceiver({ authority });
  merchant = await aMerchant(webhooks, receiver.url);
});
afterEach(() => receiver.stop());

async function send() {
  const [eventId = ""] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  return eventId;
}

async function query(text: string, values: unknown[] = []) {
  return (await webhooks.pool.query(text, values)).rows;
}

/** What a process that was killed leaves behind: its row, silent for a while, and deliveries it owned. */
async function leftByTheDead(options: {
  attempts?: number;
  dueInMs?: number;
  silentS?: number;
  count?: number;
}) {
  const { attempts = 0, dueInMs = 0, silentS = 11, count = 1 } = options;
  const ids = Array.from({ length: count }, () => newId("evt"));
  const body = Buffer.from(`{"id":"${ids[0]}"}`);
  await query(
    `with dead as (
       insert into workers (host, heartbeat_at) values ('dead', now() - $1 * interval '1 second')
       returning id
     ), written as (
       insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
       select id, $2, 1, 'payment.confirmed', 'pay_1', 7, $3, now() from unnest($4::text[]) as one (id)
       returning id
     )
     insert into deliveries (event_id, endpoint_id, attempts, owner, next_attempt_at)
     select written.id, $5, $6, dead.id, now() + $7 * interval '1 millisecond' from written, dead`,
    [silentS, merchant.projectId, body, ids, merchant.endpointId, attempts, dueInMs],
  );
  return { eventId: ids[0] ?? "", ids, body };
}

test("a live worker takes over the deliveries of a dead one with the same bytes and id", async () => {
  const { eventId, body } = await leftByTheDead({});
  const request = await receiver.next();
  expect(request.body).toEqual(body);
  expect(request.headers).toMatchObject({
    "x-service-event-id": eventId,
    "x-service-attempt": "1",
    "x-service-sequence": "7",
  });
  expect(await ended(webhooks, eventId)).toMatchObject({ state: "delivered" });
  expect(await query("select from workers where host = 'dead'")).toEqual([]);
});

test("a live worker continues the retry schedule of a dead one and sends nothing early", async () => {
  const startedAt = performance.now();
  const { eventId } = await leftByTheDead({ attempts: 2, dueInMs: 4_000 });
  receiver.respondWith(500);
  const { headers, arrivedAt } = await receiver.next();
  expect(headers["x-service-attempt"]).toBe("3");
  expect(arrivedAt - startedAt).toBeGreaterThanOrEqual(3_990);
  // The rest before the next attempt would be 30 seconds.
  expect(arrivedAt - startedAt).toBeLessThan(20_000);
  const [delivery] = await until(async () => {
    const found = await storedDeliveries(webhooks, eventId);
    return found[0]?.attempts === 3 ? found : undefined;
  });
  expect(delivery).toMatchObject({ state: "pending" });
});

test("an unrecorded last attempt of a dead worker is repeated once", async () => {
  const { eventId } = await leftByTheDead({ attempts: 3 });
  receiver.respondWith(500);
  expect(await ended(webhooks, eventId)).toMatchObject({ state: "failed", attempts: 4 });
  expect(receiver.all).toHaveLength(1);
});

test("a worker that is silent for a moment keeps its deliveries, and their age is known", async () => {
  await leftByTheDead({ silentS: 2, dueInMs: -90_000 });
  expect((await readOldestWait(webhooks.pool))[0]?.seconds).toBeGreaterThanOrEqual(90);
  const eventId = await send();
  await ended(webhooks, eventId);
  expect(receiver.all).toHaveLength(1);
  await query("delete from deliveries where owner in (select id from workers where host = 'dead')");
  await query("delete from workers where host = 'dead'");
  expect(await readOldestWait(webhooks.pool)).toEqual([{ seconds: 0 }]);
});

test("a removed worker drops its deliveries, registers again and loses none", async () => {
  receiver.respondWith({ status: 500, delayMs: 8_000 }, 200);
  const eventId = await send();
  await receiver.next();
  const [before] = await query("select id from workers");
  // As others do with one that was frozen: its row goes, then what it owned is free.
  await query("delete from workers");
  const delivery = await ended(webhooks, eventId);
  const [after] = await query("select id from workers");
  expect(after.id).not.toBe(before.id);
  // The attempt under way when it lost its place was not recorded: the row's own first attempt followed.
  expect(delivery).toMatchObject({ state: "delivered", attempts: 1 });
  expect(receiver.all.map(({ headers }) => headers["x-service-attempt"])).toEqual(["1", "1"]);
  const log = await query("select number from attempts where delivery_id = $1", [delivery.id]);
  expect(log).toEqual([{ number: 1 }]);
});

async function startSecondWorker() {
  const [{ id: first }] = await query("select id from workers");
  const other = await webhooks.startAnother();
  const id = await until(async () => {
    const [row] = await query("select id from workers where id > $1", [first]);
    return row?.id as number | undefined;
  });
  return { id, stop: other.stop };
}

test("an orderly stop finishes attempts in flight and releases the rest, none sent twice", async () => {
  const second = await startSecondWorker();
  receiver.respondWith({ status: 200, delayMs: 1_000 });
  const { ids } = await leftByTheDead({ count: 30 });
  function owned() {
    return query("select from deliveries where owner = $1", [second.id]);
  }

  await query("update workers set heartbeat_at = now() - interval '1 day' where host = 'dead'");
  await until(() => receiver.all.length > 3);
  await second.stop();
  expect(await owned()).toEqual([]);
  expect(await query("select from workers where id = $1", [second.id])).toEqual([]);
  for (const id of ids) expect(await ended(webhooks, id)).toMatchObject({ attempts: 1 });
  const received = receiver.all.map(({ headers }) => headers["x-service-event-id"]);
  expect([...received].sort()).toEqual([...ids].sort());
});

test("two workers share released deliveries and send each once", async () => {
  const second = await startSecondWorker();
  const { ids } = await leftByTheDead({ count: 400 });
  for (const id of ids) await ended(webhooks, id);
  const received = receiver.all.map(({ headers }) => headers["x-service-event-id"]);
  expect([...received].sort()).toEqual([...ids].sort());
  await second.stop();
});

test("no delivery stays overdue", async () => {
  function overdue() {
    return query(
      `select event_id from deliveries
       where state = 'pending' and next_attempt_at < now() - interval '15 seconds'`,
    );
  }

  await until(async () => (await overdue()).length === 0);
});

test("deliveries of deleted endpoints fail on both workers", async () => {
  const other = await webhooks.startAnother();
  await allBeat();
  const { promise: deleted, resolve: answer } = Promise.withResolvers<void>();
  receiver.respondWith((_, response) => {
    void deleted.then(() => response.writeHead(500).end());
  });
  const projectId = newId("proj");
  const endpoints = await Promise.all(
    Array.from({ length: 8 }, () => addEndpoint(webhooks, projectId, receiver.url)),
  );
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const events = Array.from({ length: 5 }, () => paymentEvent(projectId));
  await publish(webhooks.bus, ...events);
  await until(() => receiver.inFlight.now === ids.length, { what: "a request to each endpoint" });
  await query("delete from endpoints where id = any($1)", [ids]);
  answer();
  const states = await until(
    async () => {
      const rows = await query("select state from deliveries where endpoint_id = any($1)", [ids]);
      return rows.every(({ state }) => state !== "pending") && rows.map(({ state }) => state);
    },
    { what: "the end of all deliveries" },
  );
  expect(states).toEqual(Array(ids.length * events.length).fill("failed"));
  await other.stop();
});

/** Each worker has written a heartbeat after this moment, so it knows of all others. */
async function allBeat() {
  const [begun] = await query("select now() as at");
  await until(
    async () => {
      const [late] = await query(
        "select count(*)::int as n from workers where heartbeat_at <= $1",
        [begun?.at],
      );
      return late?.n === 0;
    },
    { what: "a heartbeat of every worker" },
  );
}
