// Secrets move to the current key, so that the operator can remove the older ones.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createBox, parseSealingKeys, type SealingKeys } from "@pay/sealing";
import { type Receiver, startReceiver, type TestDatabase, testDatabase } from "@pay/testing";
import { newId } from "@pay/values";
import { verifyWebhook } from "../src/index.ts";
import { resealSecrets } from "../src/jobs/reseal-secrets.ts";
import { authority, paymentEvent, publish, startTestWebhooks } from "./webhooks.ts";

const ENDPOINTS = 600;
const [OLD, NEW] = [1, 2].map((version) => {
  return `${version}:${Buffer.alloc(32, version).toString("base64")}`;
}) as [string, string];
const running = new AbortController().signal;

function makeBox(...keys: string[]) {
  return createBox(parseSealingKeys(keys.join(",")) as SealingKeys);
}

let database: TestDatabase;
let receiver: Receiver;
beforeEach(async () => {
  database = await testDatabase("services/webhooks");
  receiver = await startReceiver({ authority });
});
afterEach(async () => {
  await receiver?.stop();
  await database?.drop();
});

async function addEndpoints(count: number, keys = OLD) {
  const box = makeBox(keys);
  const made = Array.from({ length: count }, () => ({ id: newId("we"), project: newId("proj") }));
  const makeSecret = (id: string) => `whsec_${id}`;
  await database.pool.query(
    "insert into endpoints (id, project_id, mode, url) select id, project_id, 1, $3 from unnest($1::text[], $2::text[]) as made (id, project_id)",
    [made.map(({ id }) => id), made.map(({ project }) => project), receiver.url],
  );
  await database.pool.query(
    `insert into secrets (project_id, endpoint_id, seq, sealed)
     select project, id, 1, sealed from unnest($1::text[], $2::bytea[], $3::text[]) as made (id, sealed, project)`,
    [
      made.map(({ id }) => id),
      made.map(({ id }) => box.seal(makeSecret(id), id)),
      made.map(({ project }) => project),
    ],
  );
  return made;
}

async function sealedSecrets() {
  const { rows } = await database.pool.query<{ endpoint_id: string; sealed: Buffer }>(
    "select endpoint_id, sealed from secrets order by endpoint_id",
  );
  return rows;
}

test("every secret decrypts with the current key alone and keeps its value", async () => {
  await addEndpoints(ENDPOINTS);
  const counts = await resealSecrets(database.pool, makeBox(NEW, OLD), running);
  expect(counts).toEqual({ resealed: ENDPOINTS, unreadable: 0 });
  const alone = makeBox(NEW);
  for (const { endpoint_id, sealed } of await sealedSecrets()) {
    expect(alone.open(sealed, endpoint_id).toString()).toBe(`whsec_${endpoint_id}`);
  }
  const again = await resealSecrets(database.pool, makeBox(NEW, OLD), running);
  expect(again).toEqual({ resealed: 0, unreadable: 0 });
});

test("concurrent replicas write each secret once and keep a secret without its key", async () => {
  await addEndpoints(ENDPOINTS);
  const [lost] = await addEndpoints(1, `3:${Buffer.alloc(32, 3).toString("base64")}`);
  const before = (await sealedSecrets()).find(({ endpoint_id }) => endpoint_id === lost?.id);
  const box = makeBox(NEW, OLD);
  const both = await Promise.all([1, 2].map(() => resealSecrets(database.pool, box, running)));
  expect(both.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(ENDPOINTS);
  expect(both.map(({ unreadable }) => unreadable)).toEqual([1, 1]);
  const after = (await sealedSecrets()).find(({ endpoint_id }) => endpoint_id === lost?.id);
  expect(after).toEqual(before);
});

test("a worker without the old key signs with the merchant's secret", async () => {
  const [endpoint] = await addEndpoints(1);
  if (endpoint === undefined) throw new Error("no endpoint");
  await resealSecrets(database.pool, makeBox(NEW, OLD), running);
  const { url, pool } = database;
  const place = { url, pool, drop: async () => {} };
  const environment = { WEBHOOKS_SECRET_KEYS: NEW };
  const webhooks = await startTestWebhooks({ environment }, place);
  try {
    await publish(webhooks.bus, paymentEvent(endpoint.project));
    const { headers, body } = await receiver.next();
    expect(verifyWebhook(`whsec_${endpoint.id}`, headers, body)).toBe(true);
  } finally {
    await webhooks.stop();
  }
});
