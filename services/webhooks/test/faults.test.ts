// What the service stands on goes away and comes back; nothing is lost and nobody has to help.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createKafkaBus } from "@pay/events";
import type { Life } from "@pay/process";
import {
  describeWithKafka,
  describeWithPostgres,
  type Receiver,
  startReceiver,
  type TestKafka,
  type TestPostgres,
  testKafka,
  testPostgres,
  until,
} from "@pay/testing";
import pg from "pg";
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

const events = (merchant: Merchant, count: number) =>
  Array.from({ length: count }, () => paymentEvent(merchant.projectId));
const received = (receiver: Receiver) =>
  receiver.all.map(({ headers }) => headers["x-service-event-id"] ?? "");

describeWithPostgres("the database goes away", () => {
  let postgres: TestPostgres;
  let webhooks: TestWebhooks;
  let pool: pg.Pool;
  let receiver: Receiver;

  beforeAll(async () => {
    postgres = await testPostgres("services/webhooks");
    pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
    pool.on("error", () => {});
    webhooks = await startTestWebhooks({}, { url: postgres.url, pool, drop: async () => {} });
    receiver = await startReceiver({ authority });
  }, 120_000);
  afterAll(async () => {
    await receiver?.stop();
    await webhooks?.stop();
    await pool?.end();
    await postgres?.drop();
  }, 60_000);

  test("in the middle of deliveries: what was sent is recorded later, what was not is sent later", async () => {
    const merchant = await aMerchant(webhooks, receiver.url);
    receiver.respondWith({ status: 200, delayMs: 300 });
    const ids = await publish(webhooks.bus, ...events(merchant, 40));
    await until(() => receiver.all.length >= 5);
    await postgres.kill();
    await until(() => receiver.inFlight.now === 0, { timeoutMs: 20_000 });
    const refused = await publish(webhooks.bus, ...events(merchant, 1)).catch(() => "refused");
    expect(refused).toBe("refused");
    await postgres.start();
    for (const id of ids) {
      await until(() => ended(webhooks, id, 40_000).catch(() => undefined), { timeoutMs: 60_000 });
    }
    expect(new Set(received(receiver))).toEqual(new Set(ids));
    // Twice only what was under way when its worker was taken for dead, if it was.
    expect(received(receiver).length - ids.length).toBeLessThanOrEqual(8);
    const [again = ""] = await publish(webhooks.bus, ...events(merchant, 1));
    expect(await ended(webhooks, again)).toMatchObject({ state: "delivered" });
  }, 120_000);
});

describeWithKafka("members of one group come and go", () => {
  let kafka: TestKafka;
  let webhooks: TestWebhooks;
  let receiver: Receiver;
  const bus = (runtime: Life) => createKafkaBus({ ...kafka, clientId: "webhooks-test", runtime });

  beforeAll(async () => {
    kafka = await testKafka();
    webhooks = await startTestWebhooks({ bus });
    receiver = await startReceiver({ authority });
  }, 120_000);
  afterAll(async () => {
    await receiver?.stop();
    await webhooks?.stop();
  }, 60_000);
  afterEach(() => receiver.respondWith(200));

  /** News of projects and of payments travel apart, so one is waited for before the other is sent. */
  const isKnown = ({ projectId }: Merchant) =>
    until(
      async () => {
        const { rowCount } = await webhooks.pool.query(
          "select from endpoints where project_id = $1 and url is not null",
          [projectId],
        );
        return rowCount === 1;
      },
      { timeoutMs: 60_000, what: "the project's news" },
    );

  test("every event is delivered once, repeats and handovers included", async () => {
    const merchant = await aMerchant(webhooks, receiver.url);
    await isKnown(merchant);
    const first = events(merchant, 150).map((event, at) => ({ ...event, id: `evt_${at}` }));
    await publish(webhooks.bus, ...first);
    await publish(webhooks.bus, ...first);
    const second = await webhooks.startAnother({ bus });
    const ids = first.map(({ id }) => id);
    for (let round = 0; round < 10; round++) {
      ids.push(...(await publish(webhooks.bus, ...events(merchant, 15))));
    }
    for (const id of ids) await ended(webhooks, id, 60_000);
    await second.stop();
    const last = await publish(webhooks.bus, ...events(merchant, 20));
    for (const id of last) await ended(webhooks, id, 60_000);
    const all = received(receiver);
    const twice = all.filter((id, at) => all.indexOf(id) !== at);
    const never = [...ids, ...last].filter((id) => !all.includes(id));
    expect({ twice, never }).toEqual({ twice: [], never: [] });
  }, 180_000);

  test("records that are no events are put aside, and their partition moves on", async () => {
    const merchant = await aMerchant(webhooks, receiver.url);
    await isKnown(merchant);
    await webhooks.bus.publish([
      {
        ...{ topic: "payments.events.v1", key: merchant.projectId, eventId: "evt_bad" },
        ...{ type: "payment.confirmed", requestId: "", payload: Buffer.from([0xff, 0xff, 0xff]) },
      },
    ]);
    const [eventId = ""] = await publish(webhooks.bus, ...events(merchant, 1));
    expect(await ended(webhooks, eventId, 30_000)).toMatchObject({ state: "delivered" });
    const { rows } = await webhooks.pool.query("select event_id from dead_letters");
    expect(rows).toEqual([{ event_id: "evt_bad" }]);
  }, 90_000);
});
