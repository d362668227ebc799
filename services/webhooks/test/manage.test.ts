// Endpoints as merchants manage them: made, changed, rotated and repaired.

import type { ServerResponse } from "node:http";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { Webhook } from "standardwebhooks";
import { verifyWebhook } from "../src/index.ts";
import {
  authority,
  ended,
  paymentEvent,
  projectEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let receiver: Receiver;
let projectId: string;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
afterAll(() => webhooks?.stop());
beforeEach(async () => {
  receiver = await startReceiver({ authority });
  projectId = newId("proj");
});
afterEach(() => receiver.stop());

function tenant(mode = 1) {
  return { projectId, mode };
}

const NEW = { events: [], signatureScheme: "v1", enabled: true, repetition: Buffer.alloc(0) };

async function create(change: object = {}) {
  const made = await webhooks.client.createEndpoint({
    tenant: tenant(),
    url: receiver.url,
    ...NEW,
    ...change,
  });
  return { id: made.endpoint?.id ?? "", secret: made.secret };
}

async function send(count = 1) {
  return publish(webhooks.bus, ...Array.from({ length: count }, () => paymentEvent(projectId)));
}

async function log(endpointId: string, filter: object = {}) {
  return webhooks.client.listDeliveries({
    tenant: tenant(),
    page: { page: 1, limit: 50, after: "" },
    endpointId,
    ...filter,
  });
}

test("a new endpoint receives the next event, signed with the returned secret", async () => {
  const { secret } = await create();
  await send();
  const { headers, body } = await receiver.next();
  expect(verifyWebhook(secret, headers, body)).toBe(true);
});

test("a repeated creation creates one endpoint and returns the same secret", async () => {
  const repetition = Buffer.alloc(32, 7);
  const [first, second] = [await create({ repetition }), await create({ repetition })];
  expect(second).toEqual(first);
  const { total } = await webhooks.client.listEndpoints({ tenant: tenant() });
  expect(total).toBe(1n);
});

test("concurrent creations create at most twenty endpoints", async () => {
  const made = await Promise.allSettled(Array.from({ length: 25 }, () => create()));
  const refused = made.flatMap((one) => (one.status === "rejected" ? [one.reason.errorCode] : []));
  expect(refused).toEqual(Array(5).fill("endpoint_count_exhausted"));
});

test("both secrets verify in their headers during a rotation, afterwards only the new one", async () => {
  const { id, secret } = await create();
  const next = await webhooks.client.rotateSecret({ tenant: tenant(), id, overlapSeconds: 3_600 });
  await send();
  const { headers, body } = await receiver.next();
  expect(verifyWebhook(secret, headers, body)).toBe(true);
  const signature = headers["x-service-signature-next"];
  expect(verifyWebhook(next.secret, { ...headers, "x-service-signature": signature }, body)).toBe(
    true,
  );
  await webhooks.client.activateSecret({ tenant: tenant(), id });
  await send();
  const after = await receiver.next();
  expect(verifyWebhook(next.secret, after.headers, after.body)).toBe(true);
  expect(after.headers["x-service-signature-next"]).toBeUndefined();
  await expect(webhooks.client.activateSecret({ tenant: tenant(), id })).rejects.toMatchObject({
    errorCode: "secret_not_rotating",
  });
});

test("a rotation without overlap replaces the old and the next secret at once", async () => {
  const { id } = await create();
  await webhooks.client.rotateSecret({ tenant: tenant(), id, overlapSeconds: 3_600 });
  const { secret } = await webhooks.client.rotateSecret({
    tenant: tenant(),
    id,
    overlapSeconds: 0,
  });
  await send();
  const { headers, body } = await receiver.next();
  expect(verifyWebhook(secret, headers, body)).toBe(true);
  expect(headers["x-service-signature-next"]).toBeUndefined();
  const { rows } = await webhooks.pool.query("select from secrets where endpoint_id = $1", [id]);
  expect(rows.length).toBeLessThanOrEqual(2);
});

test("a ping arrives signed at its endpoint and appears in its log, not in the feed", async () => {
  const [{ id, secret }] = [await create(), await create()];
  const { eventId, deliveryId } = await webhooks.client.pingEndpoint({ tenant: tenant(), id });
  const { headers, body } = await receiver.next();
  expect(headers).toMatchObject({ "x-service-event": "ping", "x-service-event-id": eventId });
  expect(verifyWebhook(secret, headers, body)).toBe(true);
  await ended(webhooks, eventId);
  expect((await log(id)).deliveries).toMatchObject([{ id: deliveryId, state: "delivered" }]);
  const feed = await webhooks.client.listEvents({ tenant: tenant(), after: "", limit: 10 });
  expect(feed.events).toEqual([]);
  expect(receiver.all).toHaveLength(1);
});

test("the feed is filtered by type, resource and time, in its order", async () => {
  const resource = newId("pay");
  const [first = "", second = "", third = ""] = await publish(
    webhooks.bus,
    paymentEvent(projectId, { id: resource }),
    paymentEvent(projectId),
    paymentEvent(projectId, { id: resource, type: "payment.failed", sequence: 2 }),
  );
  async function ids(filter: object, wanted = { after: "", limit: 10 }) {
    const answer = await webhooks.client.listEvents({ tenant: tenant(), ...wanted, ...filter });
    return { ids: answer.events.map(({ id }) => id), hasMore: answer.hasMore };
  }

  const all = await until(async () => {
    const found = await ids({});
    return found.ids.length === 3 && found;
  });
  expect([...all.ids].sort()).toEqual([first, second, third].sort());
  const confirmed = { eventType: "payment.confirmed" };
  expect((await ids(confirmed)).ids).toEqual(all.ids.filter((id) => id !== third));
  expect((await ids({ resourceId: resource, eventType: "payment.failed" })).ids).toEqual([third]);
  const [one = ""] = (await ids({ resourceId: resource })).ids;
  expect(await ids({ resourceId: resource }, { after: "", limit: 1 })).toEqual({
    ids: [one],
    hasMore: true,
  });
  expect((await ids({ resourceId: resource }, { after: one, limit: 1 })).hasMore).toBe(false);
  const hour = 3_600_000;
  const [before, after] = [-hour, hour].map((ms) => timestampFromDate(new Date(Date.now() + ms)));
  expect((await ids({ from: before, to: after })).ids).toEqual(all.ids);
  const [newest = "", ...older] = [...all.ids].reverse();
  expect((await ids({ newestFirst: true }, { after: newest, limit: 2 })).ids).toEqual(older);
  expect((await ids({ newestFirst: true, from: before })).ids).toEqual([newest, ...older]);
  expect((await ids({ from: after })).ids).toEqual([]);
  expect((await ids({ to: before })).ids).toEqual([]);
  expect((await ids({ ...confirmed, tenant: tenant(2) })).ids).toEqual([]);
});

test("deliveries to a disabled endpoint are parked and recovered once after it is enabled", async () => {
  const { id } = await create();
  await webhooks.client.updateEndpoint({ tenant: tenant(), id, enabled: false });
  const ids = await send(5);
  expect((await log(id)).deliveries.map(({ state }) => state)).toEqual(Array(5).fill("parked"));
  const since = timestampFromDate(new Date(Date.now() - 60_000));
  const recover = { tenant: tenant(), id, since };
  const early = { ...recover, until: timestampFromDate(new Date(Date.now() - 30_000)) };
  await expect(webhooks.client.recoverEndpoint(recover)).rejects.toMatchObject({
    errorCode: "endpoint_disabled",
  });
  await webhooks.client.updateEndpoint({ tenant: tenant(), id, enabled: true });
  const counted = await webhooks.client.recoverEndpoint({ ...recover, dryRun: true });
  expect([counted.count, (await webhooks.client.recoverEndpoint(early)).count]).toEqual([5, 0]);
  const counts = await Promise.all([1, 2, 3].map(() => webhooks.client.recoverEndpoint(recover)));
  expect(counts.map(({ count }) => count).reduce((sum, count) => sum + count)).toBe(5);
  await until(() => receiver.all.length >= 5);
  const { deliveries } = await until(async () => {
    const listed = await log(id, { state: "delivered" });
    return listed.total === 5n ? listed : undefined;
  });
  expect(new Set(deliveries.map(({ eventId }) => eventId))).toEqual(new Set(ids));
  expect(await webhooks.client.recoverEndpoint(recover)).toMatchObject({ count: 0 });
});

test("a redelivery has the same event id and body, new attempts and a new timestamp", async () => {
  const { id } = await create();
  const [eventId = ""] = await send();
  const first = await receiver.next();
  await ended(webhooks, eventId);
  const [before] = (await log(id)).deliveries;
  const wanted = { tenant: tenant(), endpointId: id, id: before?.id ?? "" };
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  receiver.respondWith((_, response) => {
    void answered.then(() => response.writeHead(200).end());
  });
  const { delivery } = await webhooks.client.redeliver(wanted);
  await expect(webhooks.client.redeliver(wanted)).rejects.toMatchObject({
    errorCode: "delivery_pending",
  });
  answer();
  const second = await receiver.next();
  expect(second.body).toEqual(first.body);
  expect(second.headers).toMatchObject({ "x-service-event-id": eventId, "x-service-attempt": "1" });
  expect(delivery).toMatchObject({ state: "pending", redeliveries: 1, eventId });
  const read = await until(async () => {
    const { delivery: found } = await webhooks.client.getDelivery({
      ...wanted,
      id: delivery?.id ?? "",
    });
    return found?.state === "delivered" ? found : undefined;
  });
  expect(read.attempts).toMatchObject([{ number: 1, statusCode: 200, url: receiver.url }]);
  expect(Buffer.from(read.body)).toEqual(first.body);
});

test("the log is paged by cursor and filtered", async () => {
  const { id } = await create();
  const ids = await send(5);
  for (const eventId of ids) await ended(webhooks, eventId);
  const seen: string[] = [];
  for (let after = "", pages = 0; pages < 5; pages++) {
    const page = await log(id, { page: { page: 1, limit: 2, after } });
    seen.push(...page.deliveries.map(({ eventId }) => eventId));
    expect(page.total).toBe(5n);
    after = page.nextAfter;
    if (after === "") break;
  }
  expect([...seen].sort()).toEqual([...ids].sort());
  expect((await log(id, { eventId: ids[2] })).deliveries).toHaveLength(1);
  expect((await log(id, { eventType: "payment.failed" })).total).toBe(0n);
});

test("a reader of the feed misses no event during concurrent writes", async () => {
  const second = await webhooks.startAnother();
  const published: string[] = [];
  const seen: string[] = [];
  let done = false;
  async function write(bus: TestWebhooks["bus"]) {
    for (let round = 0; round < 30; round++) {
      published.push(...(await publish(bus, paymentEvent(projectId), paymentEvent(projectId))));
    }
  }

  async function read() {
    for (let after = ""; ; ) {
      const isLast = done;
      const { events } = await webhooks.client.listEvents({ tenant: tenant(), after, limit: 7 });
      seen.push(...events.map(({ id }) => id));
      after = events.at(-1)?.id ?? after;
      if (isLast && events.length === 0) return;
    }
  }

  const reading = read();
  await Promise.all([write(webhooks.bus), write(second.bus)]);
  done = true;
  await reading;
  expect([...seen].sort()).toEqual([...published].sort());
  await second.stop();
});

test("an endpoint that changes to scheme standard gets a new secret that the official library accepts", async () => {
  const { id, secret } = await create();
  await webhooks.client.rotateSecret({ tenant: tenant(), id, overlapSeconds: 3_600 });
  const change = { tenant: tenant(), id, signatureScheme: "standard" };
  const changes = await Promise.all([
    webhooks.client.updateEndpoint(change),
    webhooks.client.updateEndpoint(change),
  ]);
  const [fresh = "", ...others] = changes.map((made) => made.secret).filter((text) => text !== "");
  expect(others).toEqual([]);
  expect(fresh).not.toBe(secret);
  for (const { endpoint } of changes) expect(endpoint?.nextSecretActiveAt).toBeUndefined();

  const [eventId = ""] = await send();
  const { headers, body } = await receiver.next();
  expect(new Webhook(fresh).verify(body, headers)).toEqual({
    type: "payment.confirmed",
    timestamp: "2026-03-01T12:00:00.123Z",
    data: expect.objectContaining({ amount: "1500000", currency: "native" }),
  });
  expect(headers).toMatchObject({ "webhook-id": eventId, "x-service-event-id": eventId });
  expect(headers).not.toHaveProperty("x-service-signature");
  await ended(webhooks, eventId);
  const [delivery] = (await log(id)).deliveries;
  await webhooks.client.redeliver({ tenant: tenant(), endpointId: id, id: delivery?.id ?? "" });
  expect((await receiver.next()).body.equals(body)).toBe(true);

  const next = await webhooks.client.rotateSecret({ tenant: tenant(), id, overlapSeconds: 3_600 });
  await send();
  const rotating = await receiver.next();
  for (const one of [fresh, next.secret]) {
    expect(new Webhook(one).verify(rotating.body, rotating.headers)).toBeDefined();
  }
  const back = await webhooks.client.updateEndpoint({ ...change, signatureScheme: "v1" });
  expect(back.secret).toBe("");
  await send();
  const v1 = await receiver.next();
  expect(verifyWebhook(fresh, v1.headers, v1.body)).toBe(true);
});

test("a default endpoint never shows a secret that was replaced", async () => {
  await publish(webhooks.bus, projectEvent(projectId, receiver.url));
  const [found] = await until(async () => {
    const { endpoints } = await webhooks.client.listEndpoints({ tenant: tenant() });
    return endpoints.length > 0 && endpoints;
  });
  const id = found?.id ?? "";
  const { secret } = await webhooks.client.updateEndpoint({
    tenant: tenant(),
    id,
    signatureScheme: "standard",
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await webhooks.client.createDefaultEndpoint({ projectId })).toEqual(
    expect.objectContaining({ endpointId: id, secret: "" }),
  );
});

test("an endpoint shows how many requests it gets at once and how many deliveries wait", async () => {
  const { id } = await create();
  function load() {
    return webhooks.client.getEndpoint({ tenant: tenant(), id });
  }

  // A worker of another test may still count.
  await until(async () => (await load()).concurrency === 4);
  expect((await load()).backlog).toBe(0);
  const held: ServerResponse[] = [];
  receiver.respondWith((_, response) => void held.push(response));
  // 256 of them fit in memory, the others wait in the table.
  const ids = await send(300);
  await until(async () => (await load()).backlog === 296, { what: "the backlog" });
  receiver.respondWith(200);
  for (const response of held) response.writeHead(200).end();
  for (const one of ids) await ended(webhooks, one);
  await until(async () => (await load()).backlog === 0, { what: "no backlog" });
  expect(await load()).toMatchObject({ concurrency: 8, endpoint: { concurrencyMax: 8 } });
  await webhooks.client.updateEndpoint({ tenant: tenant(), id, concurrencyMax: 64 });
  await send(100).then((sent) => Promise.all(sent.map((one) => ended(webhooks, one))));
  await until(async () => (await load()).concurrency === 64, { what: "the new maximum" });
  expect(await load()).toMatchObject({ endpoint: { concurrencyMax: 64 } });
});

test("a new endpoint has no next secret", async () => {
  for (let count = 0; count < 10; count++) {
    const { endpoint } = await webhooks.client.createEndpoint({
      tenant: tenant(),
      url: receiver.url,
      ...NEW,
    });
    expect(endpoint?.nextSecretActiveAt).toBeUndefined();
  }
  const { rows } = await webhooks.pool.query(
    "select count(*)::int as later from secrets where project_id = $1 and active_at > created_at",
    [projectId],
  );
  expect(rows).toEqual([{ later: 0 }]);
});

test("a deleted endpoint receives nothing and its retries end", async () => {
  const { id } = await create();
  // Answered only after the deletion: a busy machine may need longer for it than the rest before a retry.
  const { promise: deleted, resolve: answer } = Promise.withResolvers<void>();
  receiver.respondWith((_, response) => {
    void deleted.then(() => response.writeHead(500).end());
  });
  const [eventId = ""] = await send();
  await receiver.next();
  await webhooks.client.deleteEndpoint({ tenant: tenant(), id });
  answer();
  expect(await ended(webhooks, eventId)).toMatchObject({ state: "failed" });
  await send();
  expect(receiver.all).toHaveLength(1);
  await expect(webhooks.client.getEndpoint({ tenant: tenant(), id })).rejects.toMatchObject({
    errorCode: "endpoint_not_found",
  });
});

test("the url of the default endpoint cannot be changed and the endpoint not deleted", async () => {
  await webhooks.client.createDefaultEndpoint({ projectId });
  const [found] = (await webhooks.client.listEndpoints({ tenant: tenant() })).endpoints;
  const id = found?.id ?? "";
  const refused = { errorCode: "endpoint_default" };
  const change = { tenant: tenant(), id, url: "https://shop.example.com/" };
  await expect(webhooks.client.updateEndpoint(change)).rejects.toMatchObject(refused);
  await expect(webhooks.client.deleteEndpoint({ tenant: tenant(), id })).rejects.toMatchObject(
    refused,
  );
});
