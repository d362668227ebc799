// Endpoints that only fail are disabled after three days, and every change of an endpoint is kept.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { countPages, type Receiver, readPlan, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { disableFailingEndpoint } from "../src/generated/sql.ts";
import {
  aMerchant,
  authority,
  ended,
  type Merchant,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let receiver: Receiver;
let merchant: Merchant;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
  receiver = await startReceiver({ authority });
});
afterAll(async () => {
  await receiver?.stop();
  await webhooks?.stop();
});
beforeEach(async () => {
  receiver.respondWith(200);
  merchant = await aMerchant(webhooks, receiver.url);
  await age(merchant);
});

/** As if its endpoint were a month old. */
async function age({ endpointId }: Merchant) {
  await query("alter table endpoints disable trigger endpoints_reset_failures");
  await query(
    "update endpoints set failures_counted_from = now() - interval '30 days' where id = $1",
    [endpointId],
  );
  await query("alter table endpoints enable trigger endpoints_reset_failures");
}

async function query(text: string, values: unknown[] = []) {
  return (await webhooks.pool.query(text, values)).rows;
}

/** One more delivery of the merchant, whose last attempt is the next one. */
async function lastAttempt({ projectId, endpointId }: Merchant): Promise<string> {
  const eventId = newId("evt");
  await query(
    `with stored as (
       insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
       values ($1, $2, 1, 'payment.confirmed', 'pay_1', 1, '{}', now()) returning id, day
     )
     insert into deliveries (event_id, day, endpoint_id, attempts, next_attempt_at)
     select id, day, $3, 3, now() from stored`,
    [eventId, projectId, endpointId],
  );
  return eventId;
}

/** Deliveries that ended so many hours ago. */
async function past(state: "failed" | "delivered", hoursAgo: number, count = 1) {
  await query(
    `insert into deliveries (event_id, endpoint_id, state, attempts, next_attempt_at, created_at, finished_at)
     select 'evt_' || gen_random_uuid(), $1, $2, 4, now(), now() - $3 * interval '1 hour', now()
     from generate_series(1, $4)`,
    [merchant.endpointId, state, hoursAgo, count],
  );
}

async function isDisabled(): Promise<boolean> {
  return (await disableFailingEndpoint(webhooks.pool, { id: merchant.endpointId })).length === 1;
}

async function isEnabled({ endpointId }: Merchant): Promise<boolean> {
  const [row] = await query("select enabled from endpoints where id = $1", [endpointId]);
  return row?.enabled === true;
}

test("an endpoint that only failed for three days is disabled with a reason", async () => {
  await past("failed", 74);
  await past("failed", 5, 20);
  expect(await isDisabled()).toBe(true);
  expect(await isDisabled()).toBe(false);
  const tenant = { projectId: merchant.projectId, mode: 1 };
  const { endpoint } = await webhooks.client.getEndpoint({ tenant, id: merchant.endpointId });
  expect(endpoint).toMatchObject({ enabled: false, disabledReason: "failing" });
});

test.each([
  ["one success is among the failures", () => past("delivered", 30)],
  ["a success was sent an hour ago", () => past("delivered", 1)],
  ["it got another address", () => moveTo("https://new.example/")],
])("an endpoint stays enabled where %s", async (_, arrange) => {
  await past("failed", 74);
  await past("failed", 5, 30);
  await arrange();
  expect(await isDisabled()).toBe(false);
});

test.each([
  ["fewer than twenty deliveries failed", [74, 5, 19]],
  ["it fails since two days only", [48, 5, 100]],
  ["it fails since an hour, a week after its last failure", [170, 1, 100]],
])(
  "an endpoint stays enabled where %s",
  async (_, [firstHoursAgo = 0, hoursAgo = 0, count = 0]) => {
    await past("failed", firstHoursAgo);
    await past("failed", hoursAgo, count);
    expect(await isDisabled()).toBe(false);
  },
);

test("an endpoint is listed as failing with its failures since the last success, until the next one", async () => {
  const { projectId, endpointId } = merchant;
  async function list(tenant: object) {
    const { endpoints } = await webhooks.client.listFailingEndpoints({ tenant });
    return endpoints.map(({ endpoint, failures }) => [endpoint?.id, failures]);
  }

  await past("failed", 6, 2);
  await past("delivered", 5);
  expect(await list({ projectId, mode: 1 })).toEqual([]);
  await past("failed", 3, 4);
  expect(await list({ projectId, mode: 1 })).toEqual([[endpointId, 4]]);
  expect(await list({ projectId, mode: 2 })).toEqual([]);
  expect(
    await list({ projectId: (await aMerchant(webhooks, receiver.url)).projectId, mode: 1 }),
  ).toEqual([]);
  await past("delivered", 1);
  expect(await list({ projectId, mode: 1 })).toEqual([]);
});

test("attempts are counted by endpoint and hour, for their tenant alone", async () => {
  const { projectId, endpointId } = merchant;
  async function read(tenant: object) {
    const { endpoints } = await webhooks.client.listEndpointHealth({ tenant });
    return endpoints.find((endpoint) => endpoint.endpointId === endpointId);
  }

  expect((await read({ projectId, mode: 1 }))?.hours).toHaveLength(24);
  receiver.respondWith(500);
  expect(await ended(webhooks, await lastAttempt(merchant))).toMatchObject({ state: "failed" });
  receiver.respondWith(200);
  const [delivered = ""] = await publish(webhooks.bus, paymentEvent(projectId));
  expect(await ended(webhooks, delivered)).toMatchObject({ state: "delivered" });
  await until(async () => {
    const hours = (await read({ projectId, mode: 1 }))?.hours ?? [];
    const [succeeded, failed] = (["succeeded", "failed"] as const).map((kind) =>
      hours.reduce((sum, hour) => sum + hour[kind], 0),
    );
    return succeeded === 1 && failed === 1;
  });
  expect((await read({ projectId, mode: 1 }))?.medianMs).toBeGreaterThanOrEqual(0);
  expect(await read({ projectId, mode: 2 })).toBeUndefined();
  expect(await read({ projectId: newId("proj"), mode: 1 })).toBeUndefined();
});

function moveTo(url: string) {
  return query("update endpoints set url = $2 where id = $1", [merchant.endpointId, url]);
}

test("a final failure disables a failing endpoint, and later deliveries can be recovered", async () => {
  const tenant = { projectId: merchant.projectId, mode: 1 };
  await past("failed", 74);
  await past("failed", 5, 20);
  receiver.respondWith(500);
  const failing = await lastAttempt(merchant);
  expect(await ended(webhooks, failing)).toMatchObject({ state: "failed" });
  await until(async () => {
    const { endpoint } = await webhooks.client.getEndpoint({ tenant, id: merchant.endpointId });
    return endpoint?.enabled === false;
  });
  const [parked = ""] = await publish(webhooks.bus, paymentEvent(merchant.projectId));
  expect(await ended(webhooks, parked)).toMatchObject({ state: "parked" });
  receiver.respondWith(200);
  const enabled = { tenant, id: merchant.endpointId, enabled: true, changedBy: "key_1" };
  const { endpoint } = await webhooks.client.updateEndpoint(enabled);
  expect(endpoint).toMatchObject({ enabled: true, disabledReason: "" });
  expect(await isDisabled()).toBe(false);
  const since = { seconds: BigInt(Math.floor(Date.now() / 1_000) - 3_600), nanos: 0 };
  const { count } = await webhooks.client.recoverEndpoint({
    tenant,
    id: merchant.endpointId,
    since,
  });
  expect(count).toBe(2);
  const changes = await query(
    "select change, changed_by from endpoint_changes where endpoint_id = $1 order by id",
    [merchant.endpointId],
  );
  expect(changes.map(({ changed_by }) => changed_by)).toEqual([null, null, null, "key_1"]);
  expect(changes.map(({ change }) => change)).toEqual([
    "created",
    "url_changed",
    "disabled_failing",
    "enabled",
  ]);
});

test("an endpoint whose check fails does not block the check of others", async () => {
  const held = merchant;
  merchant = await aMerchant(webhooks, receiver.url);
  await age(merchant);
  const free = merchant;
  for (merchant of [held, free]) {
    await past("failed", 74);
    await past("failed", 5, 20);
  }
  receiver.respondWith(500);
  const client = await webhooks.pool.connect();
  try {
    await client.query("begin");
    await client.query("select from endpoints where id = $1 for update", [held.endpointId]);
    for (const one of [held, free]) {
      expect(await ended(webhooks, await lastAttempt(one))).toMatchObject({ state: "failed" });
    }
    await until(async () => !(await isEnabled(free)), { what: "the end of the free endpoint" });
    expect(await isEnabled(held)).toBe(true);
  } finally {
    await client.query("rollback");
    client.release();
  }
});

test("the check of an endpoint does not read its long history", async () => {
  for (const [state, hoursAgo, count] of [
    ["failed", 74, 20],
    ["delivered", 74, 30_000],
    ["failed", 5, 10],
    ["delivered", 5, 30_000],
  ] as const) {
    await past(state, hoursAgo, count);
  }
  await query("vacuum analyze deliveries");
  const plan = await readPlan(webhooks.pool, (db) =>
    disableFailingEndpoint(db, { id: merchant.endpointId }),
  );
  expect(countPages(plan)).toBeLessThan(300);
  expect(await isEnabled(merchant)).toBe(true);
});

test("the history of an endpoint and its secrets stays after the endpoint is deleted", async () => {
  const tenant = { projectId: newId("proj"), mode: 2 };
  const wanted = { tenant, url: receiver.url, events: [], signatureScheme: "v1", enabled: true };
  const made = await webhooks.client.createEndpoint({
    ...wanted,
    repetition: Buffer.alloc(0),
    changedBy: "key_made",
  });
  const id = made.endpoint?.id ?? "";
  const url = `${receiver.url}/other`;
  const changedBy = "key_changed";
  await webhooks.client.updateEndpoint({ tenant, id, url, enabled: false, changedBy });
  await webhooks.client.updateEndpoint({
    tenant,
    id,
    signatureScheme: "sha256",
    enabled: true,
    changedBy,
  });
  await webhooks.client.updateEndpoint({ tenant, id, enabled: true });
  await webhooks.client.rotateSecret({ tenant, id, overlapSeconds: 60, changedBy });
  await webhooks.client.activateSecret({ tenant, id, changedBy });
  await webhooks.client.deleteEndpoint({ tenant, id, changedBy: "key_deleted" });
  const history = [
    "created",
    "url_changed",
    "disabled",
    "settings_changed",
    "enabled",
    "secret_added",
    "secret_activated",
    "deleted",
  ].reverse();
  const page = { page: 1, limit: 20, after: "" };
  const all = await webhooks.client.listEndpointChanges({ tenant, id, page });
  expect(all.changes.map(({ change }) => change)).toEqual(history);
  expect(all.changes.map((change) => change.url)).toEqual([...Array(7).fill(url), receiver.url]);
  expect(all.changes.map((change) => change.changedBy)).toEqual([
    "key_deleted",
    ...Array(6).fill(changedBy),
    "key_made",
  ]);
  const second = { page: 2, limit: 3, after: "" };
  const part = await webhooks.client.listEndpointChanges({ tenant, id, page: second });
  expect([part.total, part.changes]).toEqual([8n, all.changes.slice(3, 6)]);
});
