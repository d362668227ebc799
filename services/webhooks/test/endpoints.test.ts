import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { verifyWebhook } from "../src/index.ts";
import {
  aMerchant,
  authority,
  ended,
  paymentEvent,
  projectEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
afterAll(() => webhooks?.stop());

function create(projectId: string) {
  return webhooks.client.createDefaultEndpoint({ projectId });
}

async function readEndpoints(projectId: string) {
  const { rows } = await webhooks.pool.query(
    "select id, url, project_version from endpoints where project_id = $1 and mode = 1",
    [projectId],
  );
  return rows;
}

test("the first default endpoint of a project returns its secret once", async () => {
  const projectId = newId("proj");
  const first = await create(projectId);
  expect(first.endpointId).toMatch(/^we_[0-9A-Za-z]{24}$/);
  expect(first.secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
  expect(await create(projectId)).toMatchObject({ endpointId: first.endpointId, secret: "" });
});

test("one of many concurrent callers receives the secret", async () => {
  const projectId = newId("proj");
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => create(projectId)),
    publish(webhooks.bus, projectEvent(projectId, "https://shop.example.com/hook")).then(
      () => undefined,
    ),
    ...Array.from({ length: 10 }, () => create(projectId)),
  ]);
  const secrets = answers.flatMap((answer) => (answer?.secret ? [answer.secret] : []));
  expect(secrets).toHaveLength(1);
  expect(new Set(answers.flatMap((answer) => answer?.endpointId ?? [])).size).toBe(1);
  expect(await readEndpoints(projectId)).toHaveLength(1);
});

test("a secret that is returned after the project's event was in force before it", async () => {
  const receiver = await startReceiver({ authority });
  const projectId = newId("proj");
  await publish(webhooks.bus, projectEvent(projectId, receiver.url));
  await publish(webhooks.bus, paymentEvent(projectId));
  const early = await receiver.next();
  const { secret } = await create(projectId);
  await publish(webhooks.bus, paymentEvent(projectId));
  const late = await receiver.next();
  for (const { headers, body } of [early, late]) {
    expect(verifyWebhook(secret, headers, body)).toBe(true);
  }
  expect((await create(projectId)).secret).toBe("");
  await receiver.stop();
});

test("the url follows the project, and a late or repeated event changes nothing", async () => {
  const projectId = newId("proj");
  function url(version: number) {
    return `https://shop.example.com/${version}`;
  }

  function changed(version: number) {
    return projectEvent(projectId, url(version), version);
  }

  await publish(webhooks.bus, changed(1), changed(3), changed(2));
  expect(await readEndpoints(projectId)).toMatchObject([{ url: url(3), project_version: 3 }]);
  const again = changed(2);
  await publish(webhooks.bus, again);
  await publish(webhooks.bus, changed(4));
  await publish(webhooks.bus, again);
  expect(await readEndpoints(projectId)).toMatchObject([{ url: url(4), project_version: 4 }]);
  await publish(webhooks.bus, projectEvent(projectId, undefined, 5));
  expect(await readEndpoints(projectId)).toMatchObject([{ url: null, project_version: 5 }]);
});

test("a delivery that waits behind a slow response goes to the current url", async () => {
  const [old, current] = [await startReceiver({ authority }), await startReceiver({ authority })];
  const slow = Promise.withResolvers<void>();
  old.respondWith((_request, response) => slow.promise.then(() => response.writeHead(200).end()));
  // The second event of a payment waits for the end of the first attempt of the first one.
  const { projectId } = await aMerchant(webhooks, old.url);
  const id = newId("pay");
  const ids = await publish(
    webhooks.bus,
    paymentEvent(projectId, { id, sequence: 1 }),
    paymentEvent(projectId, { id, sequence: 2 }),
  );
  await old.next();
  await publish(webhooks.bus, projectEvent(projectId, current.url, 2));
  const changedAt = performance.now();
  await until(() => performance.now() - changedAt > 1_000, { what: "an old look-up" });
  slow.resolve();
  await current.next(({ headers }) => headers["x-service-event-id"] === ids[1]);
  expect(old.all.map(({ headers }) => headers["x-service-event-id"])).not.toContain(ids[1]);
  await old.stop();
  await current.stop();
});

test("no table contains a secret in plain text", async () => {
  const projectId = newId("proj");
  const { secret, endpointId } = await create(projectId);
  const { rows } = await webhooks.pool.query(
    "select endpoints::text as endpoint, secrets::text as secret, sealed from endpoints join secrets on endpoint_id = id where id = $1",
    [endpointId],
  );
  const [row] = rows;
  const everything = `${row.endpoint} ${row.secret} ${row.sealed.toString("latin1")}`;
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(Buffer.from(secret).toString("hex"));
});

test("deliveries are listed newest first with their attempts", async () => {
  const receiver = await startReceiver({ authority });
  const projectId = newId("proj");
  const { endpointId } = await create(projectId);
  await publish(webhooks.bus, projectEvent(projectId, receiver.url));
  receiver.respondWith(500, 200);
  const payments = [newId("pay"), newId("pay"), newId("pay")];
  const ids: string[] = [];
  for (const id of payments) {
    const [eventId = ""] = await publish(webhooks.bus, paymentEvent(projectId, { id }));
    ids.push(eventId);
    await ended(webhooks, eventId);
  }
  function list(asked: object, tenant: object = {}) {
    return webhooks.client.listDeliveries({
      tenant: { projectId, mode: 1, ...tenant },
      endpointId,
      page: { page: 1, limit: 10, after: "" },
      ...asked,
    });
  }

  const all = await list({});
  expect(all.total).toBe(3n);
  expect(all.deliveries.map(({ eventId }) => eventId)).toEqual(ids.toReversed());
  expect(all.deliveries[2]).toMatchObject({
    id: expect.stringMatching(/^del_[0-9A-Za-z]{24}$/),
    eventType: "payment.confirmed",
    endpointId,
    state: "delivered",
    attempts: [
      { number: 1, statusCode: 500, error: "bad_status" },
      { number: 2, statusCode: 200, error: "" },
    ],
  });
  const second = await list({ page: { page: 2, limit: 2, after: "" } });
  expect([second.total, second.deliveries.map(({ eventId }) => eventId)]).toEqual([3n, [ids[0]]]);
  const beyond = await list({ page: { page: 9, limit: 2, after: "" } });
  expect([beyond.total, beyond.deliveries]).toEqual([3n, []]);
  const one = await list({ resourceId: payments[1] });
  expect(one.deliveries.map(({ eventId }) => eventId)).toEqual([ids[1]]);
  const unknown = { errorCode: "endpoint_not_found" };
  await expect(list({ endpointId: newId("we") })).rejects.toMatchObject(unknown);
  await expect(list({ tenant: undefined })).rejects.toMatchObject({ errorCode: "call_malformed" });
  await receiver.stop();
});
