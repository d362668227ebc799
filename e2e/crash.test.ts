// Processes are killed at the worst moments. Acknowledged records are still there, every event reaches the bus under
// one id, and the merchant can recognise repeats. Real processes, SIGKILL, a real broker and a real database.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { type Child, startChild } from "@pay/standalone";
import {
  type Collector,
  describeWithKafka,
  freezeProcess,
  type Received,
  type Span,
  startCollector,
  until,
} from "@pay/testing";
import { describeWithHelm } from "../deploy/test/chart.ts";
import { listQueries } from "../deploy/test/queries.ts";
import { type Cluster, startCluster } from "./harness/distributed.ts";
import { type Orders, startOrders } from "./harness/load.ts";
import { createPayment, type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";
import { findFaults, parseExposed } from "./harness/queries.ts";
import { fetchMetrics } from "./harness/standalone.ts";
import { asSuperuser, holdTable } from "./harness/superuser.ts";

describeWithKafka("after a crash", () => {
  let cluster: Cluster;
  let shop: Merchant;
  let collector: Collector;

  beforeAll(async () => {
    collector = await startCollector();
    cluster = await startCluster({ ...collector.environment, LOG_LEVEL: "info" });
    shop = await openShop(cluster.credentials);
  });
  afterAll(async () => {
    await shop?.receiver.stop();
    await cluster?.stop();
    await collector?.stop();
  });

  function payments() {
    const child = cluster.product.children.get("payments");
    if (child === undefined) throw new Error("payments does not run");
    return child;
  }

  /** A creation by a client that retries: just after a restart the gateway may not be connected yet. */
  function createWithRetries(amount: string, headers: Record<string, string> = {}) {
    return until(() => createPayment(shop.api, { amount }, headers).catch(() => undefined), {
      what: "a creation",
    });
  }

  /** Of a client that is traced itself. */
  function startTrace() {
    const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
    return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
  }

  /** Whether each span has its parent, up to the client's. */
  function isConnected(spans: readonly Span[], clientSpan: string): boolean {
    const ids = new Set([clientSpan, ...spans.map(({ spanId }) => spanId)]);
    return spans.every(({ parentId }) => ids.has(parentId));
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
      // A machine with too much to do may answer 503 once.
      await until(async () => (await shop.api.get(`/v1/payments/${id}`)).status === 200, {
        what: `the acknowledged payment ${id}`,
      });
    }
    await until(() => ids.every((id) => arrivals().has(id)), {
      what: "an event for every acknowledged payment",
    });
    for (const id of ids) expect(new Set(deliveries(id)).size).toBe(1);
  }

  test("payments killed between commit and reply: the retry gets the payment that was stored", async () => {
    const key = { "Idempotency-Key": "killed-before-reply" };
    // The first call of its kind may be refused before it reaches the table.
    await createWithRetries("1");
    const table = await holdTable(cluster, "payments", "idempotency_keys", "writes");
    const lost = createPayment(shop.api, { amount: "3" }, key).catch((error) => error);
    await table.waitedFor();
    const child = payments();
    await freezeProcess(child.pid);
    await table.release();
    // The statement commits on the server, whether its client listens or not.
    const stored = await until(async () => {
      const { rows } = await asSuperuser(
        cluster,
        "payments",
        `select convert_from(response, 'UTF8') as id from idempotency_keys where key = '${key["Idempotency-Key"]}'`,
      );
      return rows[0]?.id as string | undefined;
    });
    await child.kill();
    expect(await lost).toBeInstanceOf(Error);
    await cluster.product.restart("payments");

    const again = await createWithRetries("3", key);
    expect(again.id).toBe(stored);
    await shop.waitForDelivery("payment.created", stored);
    expect(new Set(deliveries(stored)).size).toBe(1);
  });

  test("payments killed between commit and relay: the event follows after the restart", async () => {
    await createWithRetries("1");
    await cluster.kafka.freeze();
    const { traceId, headers } = startTrace();
    const payment = await createWithRetries("4", headers).finally(() => payments().kill());
    await cluster.kafka.thaw();
    await cluster.product.restart("payments");
    const { received } = await shop.waitForDelivery("payment.created", payment.id as string);
    expect(new Set(deliveries(payment.id as string)).size).toBe(1);
    expect(received.headers.traceparent).toContain(traceId);
  });

  test("a payment and its refund are one trace, from the client's span to the webhook's request", async () => {
    const { traceId, spanId, headers } = startTrace();
    const payment = await createWithRetries("0.25", headers);
    const id = payment.id as string;
    await shop.wallet.payNative(RECIPIENT, 25n * 10n ** 16n);
    const { received } = await shop.waitForDelivery("payment.confirmed", id);
    const refund = await shop.api.post("/v1/refunds", { paymentId: id }, headers);
    expect(refund.status).toBe(201);
    await shop.waitForDelivery("refund.created", refund.body.id);

    const [, , webhookSpan] = received.headers.traceparent?.split("-") ?? [];
    const ends = new Set(["handle webhooks", "deliver"]);
    const spans = await until(() => {
      const found = collector.spans(traceId);
      const isWhole = isConnected(found, spanId) && found.some((one) => one.spanId === webhookSpan);
      return isWhole && found.filter(({ name }) => ends.has(name)).length >= 4 && found;
    });
    const services = ["chains", "gateway", "payments", "refunds", "webhooks"];
    expect([...new Set(spans.map(({ service }) => service))].sort()).toEqual(services);
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "POST /v1/payments",
        "payments.v1.PaymentsService/BatchCreatePayments",
        "createPayments",
        "publish",
        "handle payments",
        "deliver",
      ]),
    );

    const lines = cluster
      .log()
      .filter((line) => line.includes(id) && line.includes("resourceId"))
      .map((line) => JSON.parse(line.slice(line.indexOf("{"))));
    expect(lines.map(({ type, msg }) => `${type} ${msg}`)).toEqual(
      expect.arrayContaining([
        "payment.created event published",
        "money.changed event published",
        "payment.confirmed event published",
        "payment.confirmed delivered",
      ]),
    );
    for (const line of lines) {
      expect(line).toMatchObject({ traceId, requestId: expect.any(String), resourceId: id });
      expect(line.projectId).toBe(cluster.credentials.projectId);
    }
  });

  test("the relay killed between Kafka's acknowledgement and marking: one id for the merchant", async () => {
    await createWithRetries("1");
    await cluster.kafka.freeze();
    const payment = await createWithRetries("5");
    const table = await holdTable(cluster, "payments", "outbox", "writes").finally(() =>
      cluster.kafka.thaw(),
    );
    const first = await shop.waitForDelivery("payment.created", payment.id as string);
    await payments().kill();
    await table.release();
    await cluster.product.restart("payments");
    await until(
      async () => {
        const { rows } = await asSuperuser(
          cluster,
          "payments",
          "select count(*)::int as n from outbox",
        );
        return rows[0].n === 0;
      },
      { what: "the event published again" },
    );
    // A later event of the same order has arrived, so a repeat would have arrived before it.
    const later = await createWithRetries("1");
    await shop.waitForDelivery("payment.created", later.id as string);
    expect(deliveries(payment.id as string)).toEqual([first.eventId]);
  });

  test("payments killed again and again under load: nothing acknowledged is lost or doubled", async () => {
    const orders = startOrders(shop);
    for (let kills = 0; kills < 3; kills++) {
      await orders.more(20);
      await payments().kill();
      await cluster.product.restart("payments");
    }
    await orders.more(20);
    await orders.finish();
    await everyOrderIsThere(orders);
  });

  describe("beside another replica of webhooks", () => {
    let other: Child;
    beforeAll(async () => {
      const own = { ...cluster.product.environment, WEBHOOKS_GRPC_PORT: `${await leasePort()}` };
      other = await startChild("webhooks", own, await leasePort());
    });
    afterAll(async () => {
      await other?.stop();
    });

    async function workers() {
      const { rows } = await asSuperuser(cluster, "webhooks", "select id from workers order by id");
      return rows.map(({ id }) => id as number);
    }

    test("one killed again and again under load: every event arrives, however often under one id", async () => {
      // Orders go on while webhooks starts again, and each of them costs a delivery.
      const orders = startOrders(shop, { pauseMs: 400 });
      for (let kills = 0; kills < 3; kills++) {
        await orders.more(20);
        await cluster.product.children.get("webhooks")?.kill();
        await cluster.product.restart("webhooks");
      }
      await orders.more(20);
      await orders.finish();
      await everyOrderIsThere(orders);
    });

    test("one frozen until the other has taken over what it had: it loses nothing and works again", async () => {
      const orders = startOrders(shop, { pauseMs: 400 });
      await orders.more(20);
      const newest = Math.max(...(await workers()));
      await freezeProcess(other.pid);
      try {
        await until(async () => (await workers()).length === 1, {
          what: "a worker that is removed for its silence",
        });
      } finally {
        process.kill(other.pid, "SIGCONT");
      }
      await until(async () => (await workers()).some((id) => id > newest), {
        what: "a worker that registers anew",
      });
      await orders.more(20);
      await orders.finish();
      await everyOrderIsThere(orders);
    });
  });

  test("the broker killed for 30 s under load: creations go on, every event arrives afterwards", async () => {
    const orders = startOrders(shop, { pauseMs: 1_000 });
    await orders.more(10);
    await cluster.kafka.kill();
    const back = performance.now() + 30_000;
    while (performance.now() < back) await orders.more(2);
    await cluster.kafka.restart();
    await orders.more(10);
    await orders.finish();
    await everyOrderIsThere(orders);
  });

  test("Postgres killed and restarted under load: services heal by themselves", async () => {
    const orders = startOrders(shop);
    await orders.more(20);
    await cluster.postgres.kill();
    await cluster.postgres.restart();
    await orders.more(20);
    await orders.finish();
    await everyOrderIsThere(orders);

    const payment = await createWithRetries("0.5");
    const txHash = await shop.wallet.payNative(RECIPIENT, 5n * 10n ** 17n);
    await shop.api.post(`/v1/payments/${payment.id}/transaction`, { txHash });
    await shop.reaches(payment.id as string, "confirmed");
    await shop.waitForDelivery("payment.confirmed", payment.id as string);
  });

  describeWithHelm("the queries of alerts and dashboards", () => {
    // The faults above are the load: some of the queries are about errors.
    test("name metrics and labels that these processes expose", async () => {
      shop.receiver.respondWith(500);
      await createWithRetries("1");
      const { adminUrl: webhooksUrl = "" } = cluster.product.children.get("webhooks") ?? {};
      await until(async () => (await fetchMetrics(webhooksUrl)).includes('result="bad_status"'), {
        what: "an attempt that failed",
      });
      const texts = await Promise.all(
        [...cluster.product.children.values()].map(({ adminUrl }) => fetchMetrics(adminUrl)),
      );
      const exposed = parseExposed(texts.join("\n"));
      const queries = await listQueries();
      expect(queries.length).toBeGreaterThan(80);
      const faults = queries.flatMap((query) =>
        findFaults(query, exposed).map((fault) => `${fault}: ${query}`),
      );
      expect(faults).toEqual([]);
      expect(findFaults('sum by (shop) (build_info{version="9"})', exposed)).toHaveLength(2);
    });
  });
});
