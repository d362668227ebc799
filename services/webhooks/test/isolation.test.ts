// What one receiver does is its own affair: others get their events in time, and nobody gets more at once than allowed.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
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

// A busy machine delays everybody, so what neighbours do is judged against what is usual without them. A receiver
// that hangs holds its slot for ten seconds: whoever waited for one would be beyond this bound by far.
const boundBeside = (aloneMs: number) => 1_000 + 3 * aloneMs;

let webhooks: TestWebhooks;
const receivers: Receiver[] = [];
beforeAll(async () => {
  webhooks = await startTestWebhooks();
}, 60_000);
afterAll(async () => {
  for (const receiver of receivers) await receiver.stop();
  await webhooks?.stop();
});

const aReceiver = async () => {
  const receiver = await startReceiver({ authority });
  receivers.push(receiver);
  return receiver;
};

const p99 = (values: number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Publishes rounds of one event per project, and answers how long each took to arrive. */
const arrivals = async (receiver: Receiver, projectIds: string[], rounds: number) => {
  const sentAt = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const at = performance.now();
    const ids = await publish(webhooks.bus, ...projectIds.map((id) => paymentEvent(id)));
    for (const id of ids) sentAt.set(id, at);
  }
  const took = () =>
    receiver.all.flatMap(({ headers, arrivedAt }) => {
      const at = sentAt.get(headers["x-service-event-id"] ?? "");
      return at === undefined ? [] : [arrivedAt - at];
    });
  await until(() => took().length >= sentAt.size, { timeoutMs: 20_000, what: "all arrivals" });
  return took();
};

test("receivers that hang or cannot be reached do not delay others", async () => {
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
}, 90_000);

test("a long backlog of one endpoint is its own: bounded at the receiver, in order, over few connections", async () => {
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
  for (const id of ids.slice(-20)) await ended(webhooks, id, 40_000);
  await until(() => slow.all.length >= 2_400, { timeoutMs: 40_000, what: "the whole backlog" });
  const received = slow.all.map(({ headers }) => headers["x-service-event-id"]);
  expect(new Set(received)).toEqual(new Set(ids));
  expect(received).toHaveLength(2_400);
  expect(slow.inFlight.most).toBeLessThanOrEqual(8);
  expect(slow.connections.opened).toBeLessThanOrEqual(2_400 * 0.05);
  // Best effort: with eight under way at once a later event may overtake by about that many.
  const sequences = slow.all.map(({ headers }) => Number(headers["x-service-sequence"]));
  const displaced = sequences.map((sequence, at) => Math.abs(sequence - 1 - at));
  expect(Math.max(...displaced)).toBeLessThan(300);
}, 90_000);

test("an endpoint's own bound holds on the wire", async () => {
  const receiver = await aReceiver();
  receiver.respondWith({ status: 200, delayMs: 30 });
  const { projectId, endpointId } = await aMerchant(webhooks, "https://127.0.0.1:1/");
  await webhooks.pool.query("update endpoints set enabled = false where id = $1", [endpointId]);
  const second = await addEndpoint(webhooks, projectId, receiver.url);
  await webhooks.pool.query("update endpoints set concurrency_max = 2 where id = $1", [
    second.endpointId,
  ]);
  const ids = await publish(
    webhooks.bus,
    ...Array.from({ length: 60 }, () => paymentEvent(projectId)),
  );
  for (const id of ids) await ended(webhooks, id);
  expect(receiver.inFlight.most).toBe(2);
});

test("many failures at once are retried in time, none of them early", async () => {
  const receiver = await aReceiver();
  const { projectId } = await aMerchant(webhooks, receiver.url);
  receiver.respondWith(...(Array(100).fill(500) as [500]), 200);
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
  expect(p99(rests)).toBeLessThan(4_000);
});
