// One receiver does not affect another: all get their events in time, and none gets more requests at once than allowed.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Failure } from "@pay/failures";
import { Mode } from "@pay/proto";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import {
  addEndpoint,
  aMerchant,
  authority,
  ended,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

// A busy machine delays all receivers, so what neighbours do is judged against what is usual without them. A receiver
// that hangs holds its slots for ten seconds, and a long backlog takes six: a delivery that waited would be beyond this
// bound.
function boundBeside(aloneMs: number) {
  return 4_000 + 3 * aloneMs;
}

let webhooks: TestWebhooks;
const receivers: Receiver[] = [];
beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop();
  await webhooks?.stop();
});

async function aReceiver() {
  const receiver = await startReceiver({ authority });
  receivers.push(receiver);
  return receiver;
}

function p99(values: number[]) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/** Publishes rounds of one event per project, and answers how long each took to arrive. */
async function arrivals(
  receiver: Receiver,
  projectIds: string[],
  rounds: number,
  { bus }: TestWebhooks = webhooks,
) {
  const sentAt = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const at = performance.now();
    const ids = await publish(bus, ...projectIds.map((id) => paymentEvent(id)));
    for (const id of ids) sentAt.set(id, at);
  }
  function took() {
    return receiver.all.flatMap(({ headers, arrivedAt }) => {
      const at = sentAt.get(headers["x-service-event-id"] ?? "");
      return at === undefined ? [] : [arrivedAt - at];
    });
  }

  await until(() => took().length >= sentAt.size, { what: "all arrivals" });
  return took();
}

test("hanging and unreachable receivers do not delay others", async () => {
  const [healthy, hanging] = [await aReceiver(), await aReceiver()];
  hanging.respondWith("hang");
  const merchants = Array.from({ length: 20 }, () => aMerchant(webhooks, healthy.url));
  const projectIds = (await Promise.all(merchants)).map(({ projectId }) => projectId);
  await arrivals(healthy, projectIds, 5);
  const alone = p99(await arrivals(healthy, projectIds, 20));
  const sick = ["https://127.0.0.1:1/", hanging.url, hanging.url, hanging.url];
  for (const url of sick) {
    const { projectId } = await aMerchant(webhooks, url);
    await publish(webhooks.bus, ...Array.from({ length: 300 }, () => paymentEvent(projectId)));
  }
  expect(p99(await arrivals(healthy, projectIds, 20))).toBeLessThan(boundBeside(alone));
  expect(hanging.inFlight.most).toBeGreaterThan(1);
});

test("a long backlog delays no other endpoint and keeps its limit, order and connections", async () => {
  const [slow, healthy] = [await aReceiver(), await aReceiver()];
  slow.respondWith({ status: 200, delayMs: 20 });
  const { projectId } = await aMerchant(webhooks, slow.url);
  const other = await aMerchant(webhooks, healthy.url);
  const alone = p99(await arrivals(healthy, [other.projectId], 50));
  const ids: string[] = [];
  for (let batch = 0; batch < 6; batch++) {
    const events = Array.from({ length: 400 }, (_, at) =>
      paymentEvent(projectId, { sequence: batch * 400 + at + 1 }),
    );
    ids.push(...(await publish(webhooks.bus, ...events)));
  }
  const took = await arrivals(healthy, [other.projectId], 50);
  expect(p99(took)).toBeLessThan(boundBeside(alone));
  for (const id of ids.slice(-20)) await ended(webhooks, id);
  await until(() => slow.all.length >= 2_400, { what: "the whole backlog" });
  const received = slow.all.map(({ headers }) => headers["x-service-event-id"]);
  expect(new Set(received)).toEqual(new Set(ids));
  expect(received).toHaveLength(2_400);
  expect(slow.inFlight.most).toBeLessThanOrEqual(8);
  expect(slow.connections.opened).toBeLessThanOrEqual(2_400 * 0.05);
  // Best effort: with eight under way at once a later event may overtake by about that many.
  const sequences = slow.all.map(({ headers }) => Number(headers["x-service-sequence"]));
  const displaced = sequences.map((sequence, at) => Math.abs(sequence - 1 - at));
  expect(Math.max(...displaced)).toBeLessThan(300);
});

test("an endpoint receives at most its own number of concurrent requests", async () => {
  const receiver = await aReceiver();
  receiver.respondWith({ status: 200, delayMs: 30 });
  // The only endpoint of its project, so that each event has the one delivery that is waited for.
  const projectId = newId("proj");
  const { endpointId } = await addEndpoint(webhooks, projectId, receiver.url);
  await webhooks.pool.query("update endpoints set concurrency_max = 2 where id = $1", [endpointId]);
  const ids = await publish(
    webhooks.bus,
    ...Array.from({ length: 60 }, () => paymentEvent(projectId)),
  );
  for (const id of ids) {
    expect(await ended(webhooks, id)).toMatchObject({
      endpoint_id: endpointId,
      state: "delivered",
    });
  }
  expect(receiver.all).toHaveLength(60);
  expect(receiver.inFlight.most).toBe(2);
});

test("many simultaneous failures are retried in time and never early", async () => {
  const receiver = await aReceiver();
  const { projectId } = await aMerchant(webhooks, receiver.url);
  receiver.respondWith(({ headers }, response) => {
    response.statusCode = headers["x-service-attempt"] === "1" ? 500 : 200;
    response.end();
  });
  const ids = await publish(
    webhooks.bus,
    ...Array.from({ length: 100 }, () => paymentEvent(projectId)),
  );
  for (const id of ids) await ended(webhooks, id);
  const rests = ids.map((id) => {
    const [first, second] = receiver.all.filter(
      ({ headers }) => headers["x-service-event-id"] === id,
    );
    return (second?.arrivedAt ?? 0) - (first?.arrivedAt ?? 0);
  });
  expect(Math.min(...rests)).toBeGreaterThanOrEqual(1_000);
  // A second in the product; on a busy machine a hundred results and retries take their time.
  expect(p99(rests)).toBeLessThan(10_000);
});

test("endpoints that hang right after a start do not delay others", async () => {
  const [healthy, hanging] = [await aReceiver(), await aReceiver()];
  hanging.respondWith("hang");
  const fresh = await startTestWebhooks();
  const made = await Promise.all(Array.from({ length: 20 }, () => aMerchant(fresh, healthy.url)));
  const projectIds = made.map(({ projectId }) => projectId);
  const alone = p99(await arrivals(healthy, projectIds, 10, fresh));
  const sick = Array.from({ length: 100 }, () => newId("proj"));
  await Promise.all(sick.map((id) => addEndpoint(fresh, id, hanging.url)));
  await publish(
    fresh.bus,
    ...sick.flatMap((id) => Array.from({ length: 6 }, () => paymentEvent(id))),
  );
  await until(() => hanging.inFlight.now >= 60, { what: "endpoints that hang" });
  expect(p99(await arrivals(healthy, projectIds, 20, fresh))).toBeLessThan(boundBeside(alone));
  // Four slots each, although six deliveries wait for each of them.
  expect(hanging.inFlight.most).toBeLessThanOrEqual(400);
  await hanging.stop();
  receivers.splice(receivers.indexOf(hanging), 1);
  await fresh.stop();
});

test("events of one payment arrive in order at a receiver of varying speed", async () => {
  const receiver = await aReceiver();
  const answers = Array.from({ length: 400 }, (_, at) => ({ status: 200, delayMs: (at * 7) % 40 }));
  receiver.respondWith({ status: 200 }, ...answers);
  const { projectId } = await aMerchant(webhooks, receiver.url);
  const ids = Array.from({ length: 100 }, () => newId("pay"));
  const events = [1, 2, 3, 4].flatMap((sequence) =>
    ids.map((id) => paymentEvent(projectId, { id, sequence })),
  );
  await publish(webhooks.bus, ...events);
  await until(() => receiver.all.length === 400, { what: "all events" });
  const lastByKey = new Map<string, number>();
  const overtaken = receiver.all.filter(({ body, headers }) => {
    const { id } = JSON.parse(body.toString("utf8"));
    const sequence = Number(headers["x-service-sequence"]);
    const isLate = sequence < (lastByKey.get(id) ?? 0);
    lastByKey.set(id, sequence);
    return isLate;
  });
  expect(overtaken).toEqual([]);
});

test("three workers together keep an endpoint's limit of concurrent requests", async () => {
  const receiver = await aReceiver();
  receiver.respondWith({ status: 200, delayMs: 20 });
  const fresh = await startTestWebhooks();
  const others = [await fresh.startAnother(), await fresh.startAnother()];
  const registered = "select count(*)::int as workers from workers";
  await until(async () => (await fresh.pool.query(registered)).rows[0].workers === 3);
  const projectId = newId("proj");
  const { endpointId } = await addEndpoint(fresh, projectId, receiver.url);
  await fresh.pool.query("update endpoints set concurrency_max = 2 where id = $1", [endpointId]);
  // Every worker sees all of them by its next heartbeat, a second later; the events arrive at all three workers.
  const beats = "select min(heartbeat_at) > $1 as heard from workers";
  const { rows } = await fresh.pool.query("select now() as at");
  await until(async () => (await fresh.pool.query(beats, [rows[0].at])).rows[0].heard);
  const ids: string[] = [];
  for (let round = 0; round < 20; round++) {
    for (const { bus } of [fresh, ...others]) {
      ids.push(
        ...(await publish(bus, ...Array.from({ length: 3 }, () => paymentEvent(projectId)))),
      );
    }
  }
  for (const id of ids) await ended(fresh, id);
  expect(receiver.all).toHaveLength(ids.length);
  expect(receiver.inFlight.most).toBe(2);
  await fresh.stop();
});

test("concurrent lists of one project are limited, and another project's list succeeds", async () => {
  const [busy, quiet] = [newId("proj"), newId("proj")];
  function list(projectId: string) {
    const tenant = { projectId, mode: Mode.LIVE };
    return webhooks.client.listEvents({ tenant, after: "", limit: 20 });
  }

  const holder = await webhooks.pool.connect();
  const refusals: string[] = [];
  try {
    await holder.query("begin; lock table events in access exclusive mode");
    const asked = Array.from({ length: 60 }, () =>
      list(busy).catch((failure: Failure) => void refusals.push(failure.errorCode)),
    );
    // Two run and 50 wait.
    await until(() => refusals.length === 8, { what: "the refusals" });
    const other = list(quiet);
    await holder.query("commit");
    expect(await other).toMatchObject({ events: [] });
    await Promise.all(asked);
    expect(refusals).toEqual(Array(8).fill("rate_limited"));
  } finally {
    holder.release();
  }
});
