// The database and the bus go away and come back; nothing is lost and no operator has to act.
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createKafkaBus } from "@pay/events";
import type { Lifecycle } from "@pay/process";
import {
  describeWithBroker,
  describeWithKafka,
  describeWithPostgres,
  type Receiver,
  startReceiver,
  type TestBroker,
  type TestKafka,
  type TestPostgres,
  testBroker,
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
  offer,
  paymentEvent,
  publish,
  type Running,
  startTestWebhooks,
  type TestWebhooks,
} from "./webhooks.ts";

function events(merchant: Merchant, count: number) {
  return Array.from({ length: count }, () => paymentEvent(merchant.projectId));
}

function received(receiver: Receiver) {
  return receiver.all.map(({ headers }) => headers["x-service-event-id"] ?? "");
}

interface Outage {
  postgres: TestPostgres;
  webhooks: TestWebhooks;
  pool: pg.Pool;
  receiver: Receiver;
}

/** With a server of its own, which the test may kill. */
function describeOutage(name: string, body: (given: () => Outage) => void): void {
  describeWithPostgres(name, () => {
    const undo: (() => Promise<unknown>)[] = [];
    let outage: Outage | undefined;
    beforeAll(async () => {
      const postgres = await testPostgres("services/webhooks");
      undo.push(() => postgres.drop());
      const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
      pool.on("error", () => {});
      undo.push(() => pool.end());
      const place = { url: postgres.url, pool, drop: async () => {} };
      const webhooks = await startTestWebhooks({}, place);
      undo.push(() => webhooks.stop());
      const receiver = await startReceiver({ authority });
      undo.push(() => receiver.stop());
      outage = { postgres, webhooks, pool, receiver };
    });
    afterAll(async () => {
      for (const step of undo.toReversed()) await step();
    });
    body(() => outage as Outage);
  });
}

/** Also where the database is not back yet. */
function endedAfterOutage({ pool }: Outage, id: string) {
  return until(() => ended({ pool }, id).catch(() => undefined));
}

describeOutage("the database goes away", (given) => {
  test("sent attempts are recorded and unsent deliveries are sent after it returns", async () => {
    const { postgres, webhooks, receiver } = given();
    const merchant = await aMerchant(webhooks, receiver.url);
    receiver.respondWith({ status: 200, delayMs: 300 });
    const ids = await publish(webhooks.bus, ...events(merchant, 40));
    await until(() => receiver.all.length >= 5);
    await postgres.kill();
    await until(() => receiver.inFlight.now === 0);
    const refused = await offer(webhooks.bus, ...events(merchant, 1)).catch(() => "refused");
    expect(refused).toBe("refused");
    await postgres.start();
    for (const id of ids) await endedAfterOutage(given(), id);
    expect(new Set(received(receiver))).toEqual(new Set(ids));
    // A delivery comes twice only where it was under way when its worker was removed.
    expect(received(receiver).length - ids.length).toBeLessThanOrEqual(8);
    // A worker that was removed takes events again once it has signed in anew; until then the bus would offer them
    // again.
    const [again = ""] = await publish(webhooks.bus, ...events(merchant, 1));
    expect(await ended(webhooks, again)).toMatchObject({ state: "delivered" });
  });
});

describeOutage("the database goes away under two workers", (given) => {
  test("after a long outage no worker removes another and sending continues at once", async () => {
    const { postgres, webhooks, pool, receiver } = given();
    const other = await webhooks.startAnother();
    const merchants = [
      await aMerchant(webhooks, receiver.url),
      await aMerchant(webhooks, receiver.url),
    ];
    // A worker goes on for six seconds without the database. With eight slots an endpoint gets 8 * 6 / 0.4 = 120 events
    // meanwhile, so many of its 200 are left for the time after the outage.
    receiver.respondWith({ status: 200, delayMs: 400 });
    const ids: string[] = [];
    for (const [at, merchant] of merchants.entries()) {
      const { bus } = at === 0 ? webhooks : other;
      ids.push(...(await publish(bus, ...events(merchant, 200))));
    }
    await until(() => receiver.all.length >= 20);
    await postgres.kill();
    const killedAt = performance.now();
    await until(() => performance.now() - killedAt > 12_000);
    const before = receiver.all.length;
    expect(before).toBeLessThan(ids.length);
    expect(receiver.inFlight.now).toBe(0);
    await postgres.start();
    const startedAt = performance.now();
    await until(() => receiver.all.length > before, { what: "sending again" });
    // A second in the product, more on a busy machine; a worker that waited for a silent one would take ten.
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    for (const id of ids) await endedAfterOutage(given(), id);
    expect(new Set(received(receiver))).toEqual(new Set(ids));
    expect(received(receiver)).toHaveLength(ids.length);
    const { rows } = await pool.query(
      "select count(*)::int as workers, max(id) as newest from workers",
    );
    expect(rows).toEqual([{ workers: 2, newest: 2 }]);
  });
});

describeOutage("the database goes away with the bus", (given) => {
  describeWithBroker("and both return", () => {
    let broker: TestBroker;
    let onBroker: Running;
    beforeAll(async () => {
      broker = await testBroker();
      const { brokers } = broker;
      onBroker = await given().webhooks.startAnother({
        bus: (runtime) => createKafkaBus({ brokers, clientId: "webhooks-test", runtime }),
      });
    });
    afterAll(async () => {
      await onBroker?.stop();
      await broker?.drop();
    });

    test("all events are delivered and none becomes a dead letter", async () => {
      const { postgres, webhooks, pool, receiver } = given();
      const { bus } = onBroker;
      const merchant = await aMerchant(webhooks, receiver.url);
      receiver.respondWith({ status: 200, delayMs: 300 });
      const ids = await publish(bus, ...events(merchant, 60));
      await until(() => receiver.all.length >= 5);
      await Promise.all([postgres.kill(), broker.kill()]);
      await until(() => receiver.inFlight.now === 0);
      await Promise.all([postgres.start(), broker.restart()]);
      // The consumer is in its group again, too.
      ids.push(...(await publish(bus, ...events(merchant, 20))));
      for (const id of ids) await endedAfterOutage(given(), id);
      expect(new Set(received(receiver))).toEqual(new Set(ids));
      // A delivery comes twice only where it was under way when its worker was removed.
      expect(received(receiver).length - ids.length).toBeLessThanOrEqual(8);
      expect((await pool.query("select from dead_letters")).rowCount).toBe(0);
    });
  });
});

test("a fault of the database creates no dead letter, and the events are delivered later", async () => {
  const webhooks = await startTestWebhooks();
  const receiver = await startReceiver({ authority });
  const merchant = await aMerchant(webhooks, receiver.url);
  const published = events(merchant, 20).map((event, at) => ({ ...event, id: `evt_fault_${at}` }));
  await webhooks.pool.query("alter table events rename column sequence to sequence_away");
  await expect(offer(webhooks.bus, ...published)).rejects.toThrow();
  const { rowCount } = await webhooks.pool.query("select from dead_letters");
  expect(rowCount).toBe(0);
  await webhooks.pool.query("alter table events rename column sequence_away to sequence");
  await publish(webhooks.bus, ...published);
  for (const { id } of published) await ended(webhooks, id);
  expect(new Set(received(receiver))).toEqual(new Set(published.map(({ id }) => id)));
  await receiver.stop();
  await webhooks.stop();
});

describeWithKafka("members of one group come and go", () => {
  let kafka: TestKafka;
  let webhooks: TestWebhooks;
  let receiver: Receiver;
  function bus(runtime: Lifecycle) {
    return createKafkaBus({ ...kafka, clientId: "webhooks-test", runtime });
  }

  beforeAll(async () => {
    kafka = await testKafka();
    webhooks = await startTestWebhooks({ bus });
    receiver = await startReceiver({ authority });
  });
  afterAll(async () => {
    await receiver?.stop();
    await webhooks?.stop();
  });
  afterEach(() => receiver.respondWith(200));

  /** Events of projects and of payments use different topics, so one is waited for before the other is sent. */
  function isKnown({ projectId }: Merchant) {
    return until(
      async () => {
        const { rowCount } = await webhooks.pool.query(
          "select from endpoints where project_id = $1 and url is not null",
          [projectId],
        );
        return rowCount === 1;
      },
      { what: "the project's event" },
    );
  }

  test("every event is delivered once despite repeats and rebalancing", async () => {
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
    for (const id of ids) await ended(webhooks, id);
    await second.stop();
    const last = await publish(webhooks.bus, ...events(merchant, 20));
    for (const id of last) await ended(webhooks, id);
    const all = received(receiver);
    const twice = all.filter((id, at) => all.indexOf(id) !== at);
    const never = [...ids, ...last].filter((id) => !all.includes(id));
    expect({ twice, never }).toEqual({ twice: [], never: [] });
  });

  test("an undecodable record becomes a dead letter and its partition continues", async () => {
    const merchant = await aMerchant(webhooks, receiver.url);
    await isKnown(merchant);
    await webhooks.bus.publish([
      {
        topic: "payments.events.v1",
        key: merchant.projectId,
        eventId: "evt_bad",
        type: "payment.confirmed",
        requestId: "",
        payload: Buffer.from([0xff, 0xff, 0xff]),
      },
    ]);
    const [eventId = ""] = await publish(webhooks.bus, ...events(merchant, 1));
    expect(await ended(webhooks, eventId)).toMatchObject({ state: "delivered" });
    const rows = await until(async () => {
      const found = await webhooks.pool.query("select event_id from dead_letters");
      return found.rows.length > 0 && found.rows;
    });
    expect(rows).toEqual([{ event_id: "evt_bad" }]);
  });
});
