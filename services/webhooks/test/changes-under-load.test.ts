// Endpoints that their merchants change while events come without a pause: a change is in force for every event that is
// published after its answer, and no event is lost by it.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Received, type Receiver, startReceiver, until } from "@pay/testing";
import { newId } from "@pay/values";
import { verifyWebhook } from "../src/index.ts";
import {
  authority,
  paymentEvent,
  publish,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

const MARKERS = 5;

let webhooks: TestWebhooks;
let receiver: Receiver;
let tenant: { projectId: string; mode: number };
let endpoint: { id: string; secret: string };
let load: { stop(): Promise<string[]> };

beforeAll(async () => {
  webhooks = await startTestWebhooks();
});
afterAll(() => webhooks?.stop());
beforeEach(async () => {
  receiver = await startReceiver({ authority });
  tenant = { projectId: newId("proj"), mode: 1 };
  const made = await webhooks.client.createEndpoint({
    tenant,
    url: receiver.url,
    events: [],
    signatureScheme: "v1",
    enabled: true,
    repetition: Buffer.alloc(0),
  });
  endpoint = { id: made.endpoint?.id ?? "", secret: made.secret };
  load = startLoad();
  await until(() => receiver.all.length > 0, { what: "the first event" });
});
afterEach(async () => {
  await load.stop();
  await receiver.stop();
});

function send(count: number) {
  return publish(
    webhooks.bus,
    ...Array.from({ length: count }, () => paymentEvent(tenant.projectId)),
  );
}

/** Events of the same project without a pause, until it is stopped. */
function startLoad() {
  const ids: string[] = [];
  let isGoing = true;
  const done = (async () => {
    while (isGoing) ids.push(...(await send(3)));
  })();
  return {
    stop: async () => {
      isGoing = false;
      await done;
      return ids;
    },
  };
}

function listRequests(ids: readonly string[]): Received[] {
  return receiver.all.filter(({ headers }) => ids.includes(headers["x-service-event-id"] ?? ""));
}

function haveArrived(ids: readonly string[]) {
  return until(
    () => {
      const arrived = new Set(receiver.all.map(({ headers }) => headers["x-service-event-id"]));
      return ids.every((id) => arrived.has(id));
    },
    { what: `${ids.length} events at the receiver` },
  );
}

async function readStates(ids: readonly string[]) {
  const { rows } = await webhooks.pool.query<{ state: string }>(
    "select distinct state from deliveries where event_id = any($1)",
    [ids],
  );
  return rows.map(({ state }) => state);
}

test("an immediately replaced secret signs every later event", async () => {
  const { id } = endpoint;
  const { secret } = await webhooks.client.rotateSecret({ tenant, id, overlapSeconds: 0 });
  const markers = await send(MARKERS);
  const all = await load.stop();
  await haveArrived([...all, ...markers]);
  for (const { headers, body } of listRequests(markers)) {
    expect(verifyWebhook(secret, headers, body)).toBe(true);
  }
  // What was published before is signed by one of the two.
  for (const { headers, body } of listRequests(all)) {
    const isSigned = [endpoint.secret, secret].some((one) => verifyWebhook(one, headers, body));
    expect(isSigned).toBe(true);
  }
});

test("a disabled endpoint receives no later event until a recovery", async () => {
  const { id } = endpoint;
  await webhooks.client.updateEndpoint({ tenant, id, enabled: false });
  const markers = await send(MARKERS);
  const all = await load.stop();
  await until(async () => !(await readStates(all)).includes("pending"), { what: "an end of all" });
  expect(await readStates(markers)).toEqual(["parked"]);
  expect(listRequests(markers)).toEqual([]);
  await webhooks.client.updateEndpoint({ tenant, id, enabled: true });
  const since = timestampFromDate(new Date(Date.now() - 3_600_000));
  await webhooks.client.recoverEndpoint({ tenant, id, since });
  await haveArrived([...all, ...markers]);
});

test("a deleted endpoint receives no later event, and its pending deliveries end", async () => {
  await webhooks.client.deleteEndpoint({ tenant, id: endpoint.id });
  const markers = await send(MARKERS);
  const all = await load.stop();
  await until(async () => !(await readStates(all)).includes("pending"), { what: "an end of all" });
  expect(await readStates(markers)).toEqual([]);
  expect(listRequests(markers)).toEqual([]);
});
