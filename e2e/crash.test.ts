// Processes are killed at the worst moments. Acknowledged records are still there, every event reaches the bus under
// one id, and the merchant can recognise repeats. Real processes, SIGKILL, a real broker and a real database.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { describeWithKafka, type Received, until } from "@pay/testing";
import pg from "pg";
import { type Cluster, startCluster } from "./harness/distributed.ts";
import { type Orders, startOrders } from "./harness/load.ts";
import { createPayment, type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";

describeWithKafka("after a crash", () => {
  let cluster: Cluster;
  let shop: Merchant;

  beforeAll(async () => {
    cluster = await startCluster();
    shop = await openShop(cluster.credentials);
  }, 300_000);
  afterAll(async () => {
    await shop?.receiver.stop();
    await cluster?.stop();
  }, 60_000);

  function payments() {
    const child = cluster.product.children.get("payments");
    if (child === undefined) throw new Error("payments does not run");
    return child;
  }

  /** A lock that makes statements on the table wait, held by the test. */
  async function holdTable(table: string) {
    const client = new pg.Client(cluster.postgres.superuserUrl("payments"));
    await client.connect();
    await client.query("begin");
    await client.query(`lock table ${table} in share mode`);
    return {
      /** Resolves when a statement waits for the lock. */
      waitedFor: () =>
        until(
          async () => {
            const { rows } = await client.query(
              "select from pg_locks where not granted and relation = $1::regclass",
              [table],
            );
            return rows.length > 0;
          },
          { what: `a statement on ${table}` },
        ),
      release: async () => {
        await client.query("rollback");
        await client.end();
      },
    };
  }

  /** A creation by a client that retries: just after a restart the gateway may not be connected yet. */
  function createWithRetries(amount: string, headers: Record<string, string> = {}) {
    return until(() => createPayment(shop.api, { amount }, headers).catch(() => undefined), {
      timeoutMs: 20_000,
      what: "a creation",
    });
  }

  // Event ids of payment.created by payment, each delivery one entry; grows with what arrives.
  const eventIds = new Map<string, string[]>();
  let read = 0;
  function arrivals() {
    for (; read < shop.receiver.all.length; read++) {
      const { headers, body } = shop.receiver.all[read] as Received;
      if (headers["x-service-event"] !== "payment.created") continue;
      const { id } = JSON.parse(body.toString());
      eventIds.set(id, [...(eventIds.get(id) ?? []), headers["x-service-event-id"] ?? ""]);
    }
    return eventIds;
  }

  function deliveries(id: string) {
    return arrivals().get(id) ?? [];
  }

  async function everyOrderIsThere(orders: Orders) {
    const ids = [...orders.acknowledged.values()];
    expect(orders.strange).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) {
      expect((await shop.api.get(`/v1/payments/${id}`)).status).toBe(200);
    }
    await until(() => ids.every((id) => arrivals().has(id)), {
      timeoutMs: 60_000,
      what: "an event for every acknowledged payment",
    });
    for (const id of ids) expect(new Set(deliveries(id)).size).toBe(1);
  }

  test("payments killed between commit and reply: the retry gets the payment that was stored", async () => {
    const key = { "Idempotency-Key": "killed-before-reply" };
    const table = await holdTable("idempotency_keys");
    const lost = createPayment(shop.api, { amount: "3" }, key).catch((error) => error);
    await table.waitedFor();
    const child = payments();
    process.kill(child.pid, "SIGSTOP");
    await table.release();
    // The statement commits on the server, whether its client listens or not.
    const client = new pg.Client(cluster.postgres.superuserUrl("payments"));
    await client.connect();
    const stored = await until(async () => {
      const { rows } = await client.query(
        "select convert_from(response, 'UTF8') as id from idempotency_keys where key = $1",
        [key["Idempotency-Key"]],
      );
      return rows[0]?.id as string | undefined;
    });
    await client.end();
    await child.kill();
    expect(await lost).toBeInstanceOf(Error);
    await cluster.product.restart("payments");

    const again = await createWithRetries("3", key);
    expect(again.id).toBe(stored);
    await shop.deliveryOf("payment.created", stored, 30_000);
    expect(new Set(deliveries(stored)).size).toBe(1);
  }, 90_000);

  test("payments killed between commit and relay: the event follows after the restart", async () => {
    await createWithRetries("1");
    await cluster.kafka.freeze();
    const payment = await createPayment(shop.api, { amount: "4" }).finally(() => payments().kill());
    await cluster.kafka.thaw();
    await cluster.product.restart("payments");
    await shop.deliveryOf("payment.created", payment.id as string, 60_000);
    expect(new Set(deliveries(payment.id as string)).size).toBe(1);
  }, 120_000);

  test("the relay killed between Kafka's acknowledgement and marking: one id for the merchant", async () => {
    await createWithRetries("1");
    await cluster.kafka.freeze();
    const payment = await createPayment(shop.api, { amount: "5" });
    const table = await holdTable("outbox").finally(() => cluster.kafka.thaw());
    const first = await shop.deliveryOf("payment.created", payment.id as string, 60_000);
    await payments().kill();
    await table.release();
    await cluster.product.restart("payments");
    const outbox = new pg.Client(cluster.postgres.superuserUrl("payments"));
    await outbox.connect();
    await until(
      async () => (await outbox.query("select count(*)::int as n from outbox")).rows[0].n === 0,
      { timeoutMs: 30_000, what: "the event published again" },
    );
    await outbox.end();
    // A later event of the same order has arrived, so a repeat would have arrived before it.
    const later = await createWithRetries("1");
    await shop.deliveryOf("payment.created", later.id as string, 30_000);
    expect(deliveries(payment.id as string)).toEqual([first.eventId]);
  }, 120_000);

  test("payments killed again and again under load: nothing acknowledged is lost or doubled", async () => {
    const orders = startOrders(shop);
    for (let kills = 0; kills < 3; kills++) {
      await orders.more(40);
      await payments().kill();
      await cluster.product.restart("payments");
    }
    await orders.more(40);
    await orders.finish();
    await everyOrderIsThere(orders);
  }, 240_000);

  test("the broker killed for 30 s under load: creations go on, every event arrives afterwards", async () => {
    const orders = startOrders(shop, { workers: 4, pauseMs: 200 });
    await orders.more(20);
    await cluster.kafka.kill();
    const back = performance.now() + 30_000;
    while (performance.now() < back) await orders.more(5);
    await cluster.kafka.restart();
    await orders.more(20);
    await orders.finish();
    await everyOrderIsThere(orders);
  }, 300_000);

  test("Postgres killed and restarted under load: services heal by themselves", async () => {
    const orders = startOrders(shop);
    await orders.more(40);
    await cluster.postgres.kill();
    await cluster.postgres.restart();
    await orders.more(40);
    await orders.finish();
    await everyOrderIsThere(orders);

    const payment = await createWithRetries("0.5");
    const txHash = await shop.wallet.payNative(RECIPIENT, 5n * 10n ** 17n);
    await shop.api.post(`/v1/payments/${payment.id}/transaction`, { txHash });
    await shop.reaches(payment.id as string, "confirmed", 60_000);
    await shop.deliveryOf("payment.confirmed", payment.id as string, 60_000);
  }, 240_000);
});
