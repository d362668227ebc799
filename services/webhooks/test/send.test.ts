import { createHash, createHmac } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type NewEvent, outboxRow } from "@pay/events";
import { Mode } from "@pay/proto";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { verifyWebhook } from "../src/index.ts";
import {
  addEndpoint,
  aMerchant,
  authority,
  ended,
  type Merchant,
  paymentEvent,
  projectEvent,
  publish,
  startTestWebhooks,
  storedDeliveries,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let receiver: Receiver;
let merchant: Merchant;
const NOW = new Date("2026-03-01T12:00:07.900Z");

beforeAll(async () => {
  webhooks = await startTestWebhooks({ clock: { now: () => NOW } });
});
afterAll(() => webhooks?.stop());
beforeEach(async () => {
  receiver = await startReceiver({ authority });
  merchant = await aMerchant(webhooks, `${receiver.url}/hook`);
});
afterEach(() => receiver.stop());

test("a webhook has the eight documented fields and a signature over its bytes", async () => {
  const event = paymentEvent(merchant.projectId, {
    sequence: 3,
    payment: { txHash: "0xab", blockNumber: 12n, orderId: "Bestellung ü/1" },
  });
  const [eventId] = await publish(webhooks.bus, event);
  const request = await receiver.next();
  const raw = request.body.toString("utf8");
  expect(raw).toBe(
    `{"id":"${event.resourceId}","status":"confirmed","txHash":"0xab","blockNumber":12,` +
      `"amount":"1500000","currency":"native","orderId":"Bestellung ü/1","chainId":1}`,
  );
  const timestamp = String(Math.floor(NOW.getTime() / 1_000));
  const signature = createHmac("sha256", merchant.secret)
    .update(`${timestamp}.${raw}`)
    .digest("hex");
  expect(request).toMatchObject({ method: "POST", path: "/hook" });
  expect(request.headers).toMatchObject({
    "content-type": "application/json",
    "content-length": String(request.body.length),
    "x-service-signature": `v1=${signature}`,
    "x-service-event": "payment.confirmed",
    "x-service-mode": "live",
    "x-service-timestamp": timestamp,
    "x-service-event-id": eventId,
    "x-service-attempt": "1",
    "x-service-sequence": "3",
  });
  expect(request.headers["x-service-signature"]).toMatch(/^v1=[0-9a-f]{64}$/);
  const { headers, body } = request;
  expect(verifyWebhook(merchant.secret, headers, body, { now: NOW })).toBe(true);
  expect(verifyWebhook(`${merchant.secret}x`, headers, body, { now: NOW })).toBe(false);
  expect(await ended(webhooks, eventId ?? "")).toMatchObject({ state: "delivered", attempts: 1 });
});

test("an endpoint gets the fields that it includes, also in a redelivery, and no other endpoint does", async () => {
  const { projectId } = merchant;
  const tenant = { projectId, mode: Mode.LIVE };
  const { endpoint } = await webhooks.client.createEndpoint({
    tenant,
    url: `${receiver.url}/rich`,
    include: ["metadata", "receivedAmount"],
    signatureScheme: "standard",
    enabled: true,
  });
  const endpointId = endpoint?.id ?? "";
  const payment = { metadataJson: '{"cart":1.50}', receivedBaseAmount: "7" };
  const [eventId = ""] = await publish(webhooks.bus, paymentEvent(projectId, { payment }));
  const requests = [await receiver.next(), await receiver.next()];
  const sent = new Map(requests.map(({ path, body }) => [path, body.toString()]));
  const plain = sent.get("/hook") ?? "";
  const data = `${plain.slice(0, -1)},"receivedAmount":"7","metadata":{"cart":1.50}}`;
  expect(plain).toMatch(/,"chainId":1\}$/);
  expect(sent.get("/rich")).toContain(`"data":${data}}`);
  await ended(webhooks, eventId);
  const page = { page: 1, limit: 1, after: "" };
  const [delivery] = (await webhooks.client.listDeliveries({ tenant, endpointId, page }))
    .deliveries;
  const wanted = { tenant, endpointId, id: delivery?.id ?? "" };
  const read = await webhooks.client.getDelivery(wanted);
  expect(Buffer.from(read.delivery?.body ?? []).toString()).toBe(data);
  const change = { id: endpointId, include: { fields: ["receivedAmount"] } };
  await webhooks.client.updateEndpoint({ tenant, ...change });
  await webhooks.client.redeliver(wanted);
  const again = (await receiver.next()).body.toString();
  expect(again).toContain(`"data":${plain.slice(0, -1)},"receivedAmount":"7"}}`);
});

test("a webhook has the stored body", async () => {
  const [eventId] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  const { body } = await receiver.next();
  const { rows } = await webhooks.pool.query("select body from events where id = $1", [eventId]);
  function digest(bytes: Buffer) {
    return createHash("sha256").update(bytes).digest("hex");
  }

  expect(digest(rows[0].body)).toBe(digest(body));
});

test("the scheme sha256 sends its two headers and the mode, without a timestamp", async () => {
  await webhooks.pool.query("update endpoints set signature_scheme = 'sha256' where id = $1", [
    merchant.endpointId,
  ]);
  await publish(webhooks.bus, paymentEvent(merchant.projectId));
  const { headers, body } = await receiver.next();
  expect(Object.keys(headers).filter((name) => name.startsWith("x-service-"))).toEqual([
    "x-service-mode",
    "x-service-signature",
    "x-service-event",
  ]);
  const signature = createHmac("sha256", merchant.secret).update(body).digest("hex");
  expect(headers["x-service-signature"]).toBe(`sha256=${signature}`);
  expect(verifyWebhook(merchant.secret, headers, body, { scheme: "sha256" })).toBe(true);
  expect(verifyWebhook(merchant.secret, headers, body, { now: NOW })).toBe(false);
});

test("an empty list of events selects all but those by name, any other list only its own", async () => {
  const all = ["payment.created", "payment.received", "payment.confirmed", "payment.expired"];
  function events() {
    return all.map((type) => paymentEvent(merchant.projectId, { type }));
  }

  async function count(ids: readonly string[]) {
    return Promise.all(ids.map(async (id) => (await storedDeliveries(webhooks, id)).length));
  }

  const ids = await publish(webhooks.bus, ...events());
  expect(await count(ids)).toEqual([1, 0, 1, 1]);
  for (const id of ids.filter((_, at) => at !== 1)) await ended(webhooks, id);
  await webhooks.pool.query("update endpoints set events = $2 where id = $1", [
    merchant.endpointId,
    ["payment.expired", "payment.received"],
  ]);
  const chosen = await publish(webhooks.bus, ...events());
  expect(await count(chosen)).toEqual([0, 1, 0, 1]);
  for (const id of chosen.filter((_, at) => at % 2 === 1)) await ended(webhooks, id);
  expect(receiver.all).toHaveLength(5);
});

test("each endpoint of the project receives the event, another project's does not", async () => {
  const second = await startReceiver({ authority });
  const stranger = await aMerchant(webhooks, `${second.url}/stranger`);
  const { secret } = await addEndpoint(webhooks, merchant.projectId, `${second.url}/second`);
  const [eventId] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  await receiver.next();
  const { path, headers, body } = await second.next();
  expect(path).toBe("/second");
  expect(verifyWebhook(secret, headers, body, { now: NOW })).toBe(true);
  expect(headers["x-service-event-id"]).toBe(eventId);
  await publish(webhooks.bus, paymentEvent(stranger.projectId));
  expect(await second.next()).toMatchObject({ path: "/stranger" });
  expect([receiver.all.length, second.all.length]).toEqual([1, 2]);
  await second.stop();
});

test("events of one resource arrive in order", async () => {
  const id = newId("pay");
  const types = ["payment.created", "payment.processing", "payment.confirmed"];
  for (let round = 0; round < 5; round++) {
    const events = types.map((type, at) =>
      paymentEvent(merchant.projectId, { type, id, sequence: round * 3 + at + 1 }),
    );
    for (const event of events) {
      const [eventId] = await publish(webhooks.bus, event);
      await ended(webhooks, eventId ?? "");
    }
  }
  const sequences = receiver.all.map(({ headers }) => Number(headers["x-service-sequence"]));
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
});

test("an internal event creates no delivery", async () => {
  const internal = [
    paymentEvent(merchant.projectId, { type: "payment.released" }),
    {
      ...paymentEvent(merchant.projectId),
      type: "refund.submitted",
      resource: { case: "refund" as const, value: { id: newId("refund") } },
    },
  ];
  const ids = await publish(webhooks.bus, ...internal);
  const [known] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  await ended(webhooks, known ?? "");
  for (const id of ids) expect(await storedDeliveries(webhooks, id)).toEqual([]);
  expect(receiver.all).toHaveLength(1);
});

test("an endpoint that is disabled or has no url receives nothing", async () => {
  const { projectId, endpointId } = merchant;
  await webhooks.pool.query("update endpoints set enabled = false where id = $1", [endpointId]);
  const [off] = await publish(webhooks.bus, paymentEvent(projectId));
  await webhooks.pool.query("update endpoints set enabled = true where id = $1", [endpointId]);
  await publish(webhooks.bus, projectEvent(projectId, undefined, 2));
  const [without] = await publish(webhooks.bus, paymentEvent(projectId));
  await publish(webhooks.bus, projectEvent(projectId, receiver.url, 3));
  const [on] = await publish(webhooks.bus, paymentEvent(projectId));
  await ended(webhooks, on ?? "");
  expect(await storedDeliveries(webhooks, off ?? "")).toMatchObject([{ state: "parked" }]);
  expect(await storedDeliveries(webhooks, without ?? "")).toEqual([]);
  expect(receiver.all).toHaveLength(1);
});

test("a repeated event is delivered once", async () => {
  const event = { ...paymentEvent(merchant.projectId), id: newId("evt") };
  await publish(webhooks.bus, event, event);
  await Promise.all([publish(webhooks.bus, event), publish(webhooks.bus, event)]);
  await ended(webhooks, event.id);
  await publish(webhooks.bus, event);
  const [last] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  await ended(webhooks, last ?? "");
  expect(receiver.all).toHaveLength(2);
  expect(await storedDeliveries(webhooks, event.id)).toHaveLength(1);
});

test("the log separates test mode from live mode", async () => {
  const { projectId } = merchant;
  await webhooks.client.putDefaultEndpoint({
    tenant: { projectId, mode: Mode.TEST },
    url: receiver.url,
    projectVersion: 2,
  });
  const event = paymentEvent(projectId, { mode: Mode.TEST });
  const [eventId] = await publish(webhooks.bus, event);
  await ended(webhooks, eventId ?? "");
  const page = { page: 1, limit: 10, after: "" };
  async function listed(mode: Mode) {
    const tenant = { projectId, mode };
    const { endpoints } = await webhooks.client.listEndpoints({ tenant, page });
    const endpointId = endpoints[0]?.id ?? "none";
    const { deliveries } = await webhooks.client.listDeliveries({ tenant, page, endpointId });
    return deliveries.map((delivery) => delivery.eventId);
  }

  expect(await listed(Mode.TEST)).toEqual([eventId]);
  expect(await listed(Mode.LIVE)).toEqual([]);
});

test("an invalid event becomes a dead letter and the rest of its list is delivered", async () => {
  const good = paymentEvent(merchant.projectId);
  const bad = {
    topic: "customers.events.v1",
    key: merchant.projectId,
    eventId: newId("evt"),
    type: "customer.created",
    requestId: "",
    payload: Buffer.from("not protobuf at all"),
  };
  const nul = outboxRow(paymentEvent(merchant.projectId, { id: "pay_\u0000" }) as NewEvent);
  // The first is a time that no calendar has, the second one that the database does not read.
  const timeless = [10n ** 16n, 10n ** 12n].map((seconds) =>
    outboxRow({
      ...paymentEvent(merchant.projectId),
      occurredAt: { seconds, nanos: 0 },
    } as NewEvent),
  );
  const invalid = [bad, nul, ...timeless];
  const row = outboxRow(good as NewEvent);
  await webhooks.bus.publish([...invalid, row]);
  await ended(webhooks, row.eventId);
  const dead = await until(async () => {
    const { rows } = await webhooks.pool.query(
      "select event_id, topic, consumer from dead_letters where event_id = any($1)",
      [invalid.map(({ eventId }) => eventId)],
    );
    return rows.length === invalid.length ? rows : undefined;
  });
  expect(new Set(dead.map(({ consumer }) => consumer))).toEqual(new Set(["webhooks"]));
  expect(receiver.all).toHaveLength(1);
});
