// A project has a default endpoint in each mode: what each hears, how its address is written, and by whom.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Mode } from "@pay/proto";
import { type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { verifyWebhook } from "../src/index.ts";
import {
  addEndpoint,
  authority,
  ended,
  paymentEvent,
  projectEvent,
  publish,
  startTestWebhooks,
  storedDeliveries,
  type TestWebhooks,
} from "./webhooks.ts";

let webhooks: TestWebhooks;
let receivers: Receiver[] = [];
let projectId: string;
beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
beforeEach(() => {
  projectId = newId("proj");
});
afterEach(async () => {
  for (const receiver of receivers) await receiver.stop();
  receivers = [];
});
afterAll(() => webhooks?.stop());

async function aReceiver() {
  const receiver = await startReceiver({ authority });
  receivers.push(receiver);
  return receiver;
}

interface Address {
  mode: Mode;
  url?: string;
  version: number;
  showSecret?: boolean;
}

function put({ mode, url, version, showSecret = false }: Address) {
  return webhooks.client.putDefaultEndpoint({
    tenant: { projectId, mode },
    projectVersion: version,
    showSecret,
    ...(url !== undefined && { url }),
  });
}

async function addresses() {
  const { rows } = await webhooks.pool.query<{ mode: Mode; url: string | null; version: number }>(
    "select mode, url, project_version as version from endpoints where project_id = $1 order by mode",
    [projectId],
  );
  return rows;
}

function modesReceivedBy({ all }: Receiver) {
  return all.map(({ headers }) => headers["x-service-mode"]);
}

test("an event goes only to endpoints of its project and mode and names the mode", async () => {
  const [real, mock] = [await aReceiver(), await aReceiver()];
  const live = await put({ mode: Mode.LIVE, url: real.url, version: 1, showSecret: true });
  const trial = await put({ mode: Mode.TEST, url: mock.url, version: 1, showSecret: true });
  const ids = await publish(
    webhooks.bus,
    ...[Mode.TEST, Mode.LIVE, Mode.TEST].map((mode) => paymentEvent(projectId, { mode })),
  );
  for (const id of ids) await ended(webhooks, id);
  expect(modesReceivedBy(real)).toEqual(["live"]);
  expect(modesReceivedBy(mock)).toEqual(["test", "test"]);
  const { headers, body } = await mock.next();
  expect(verifyWebhook(trial.secret, headers, body)).toBe(true);
  expect(verifyWebhook(live.secret, headers, body)).toBe(false);
});

test("test mode without a url receives no events", async () => {
  const real = await aReceiver();
  await put({ mode: Mode.LIVE, url: real.url, version: 1 });
  const { endpointId } = await addEndpoint(webhooks, projectId, real.url);
  const [tried] = await publish(webhooks.bus, paymentEvent(projectId, { mode: Mode.TEST }));
  const [sold] = await publish(webhooks.bus, paymentEvent(projectId));
  await until(async () => (await storedDeliveries(webhooks, sold ?? "")).length === 2);
  expect(await storedDeliveries(webhooks, tried ?? "")).toEqual([]);
  const deliveries = await storedDeliveries(webhooks, sold ?? "");
  expect(deliveries.map((delivery) => delivery.endpoint_id)).toContain(endpointId);
});

test("a secret is returned once in each mode, and only on request", async () => {
  const url = "https://shop.example/";
  const quiet = await put({ mode: Mode.TEST, url, version: 1 });
  expect(quiet.secret).toBe("");
  const asked = await Promise.all(
    Array.from({ length: 8 }, () => put({ mode: Mode.TEST, url, version: 2, showSecret: true })),
  );
  const shown = asked.flatMap(({ secret }) => (secret ? [secret] : []));
  expect(shown).toEqual([expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/)]);
  expect(new Set([quiet, ...asked].map(({ endpointId }) => endpointId)).size).toBe(1);
  const { endpointId, secret } = await webhooks.client.createDefaultEndpoint({ projectId });
  expect(secret).toMatch(/^whsec_/);
  expect([endpointId, secret]).not.toEqual([quiet.endpointId, shown[0]]);
});

test("the newer version of a project wins, whether it came by rpc or event", async () => {
  function url(name: string) {
    return `https://shop.example/${name}`;
  }

  function event(version: number, testCallbackUrl: string) {
    const { resource, ...rest } = projectEvent(projectId, url(`live-${version}`), version);
    if (resource?.case !== "project") throw new Error("not of a project");
    return { ...rest, resource: { ...resource, value: { ...resource.value, testCallbackUrl } } };
  }

  await put({ mode: Mode.TEST, url: url("two"), version: 2 });
  await publish(webhooks.bus, event(1, ""));
  expect(await addresses()).toEqual([
    { mode: Mode.LIVE, url: url("live-1"), version: 1 },
    { mode: Mode.TEST, url: url("two"), version: 2 },
  ]);
  await publish(webhooks.bus, event(3, url("three")));
  await put({ mode: Mode.TEST, url: url("late"), version: 2 });
  const third = { mode: Mode.TEST, url: url("three"), version: 3 };
  expect(await addresses()).toEqual([{ mode: Mode.LIVE, url: url("live-3"), version: 3 }, third]);
  await publish(webhooks.bus, event(4, ""));
  expect((await addresses())[1]).toEqual({ mode: Mode.TEST, url: null, version: 4 });
});

test("events after a change of the url go to the new one under load", async () => {
  const places = [await aReceiver(), await aReceiver()] as const;
  function came(id: string | undefined, ...at: readonly Receiver[]) {
    return at.some(({ all }) => all.some(({ headers }) => headers["x-service-event-id"] === id));
  }

  await put({ mode: Mode.LIVE, url: places[0].url, version: 1 });
  let loading = true;
  // What is under way stays bounded: on a machine that is slower than the bus each change would wait longer than the
  // one before.
  const load = (async () => {
    while (loading) {
      const events = Array.from({ length: 5 }, () => paymentEvent(projectId));
      const ids = await publish(webhooks.bus, ...events);
      await until(() => ids.every((id) => came(id, ...places)), { what: "the events around" });
    }
  })();
  const wrong: number[] = [];
  async function change() {
    for (let version = 2; version <= 41; version++) {
      const [at, other] = version % 2 === 0 ? places : ([places[1], places[0]] as const);
      await put({ mode: Mode.LIVE, url: at.url, version });
      const [id] = await publish(webhooks.bus, paymentEvent(projectId));
      await until(() => came(id, at, other), { what: `event ${version}` });
      if (came(id, other)) wrong.push(version);
    }
  }

  await Promise.all([load, change().finally(() => (loading = false))]);
  expect(wrong).toEqual([]);
});
