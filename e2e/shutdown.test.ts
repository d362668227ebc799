// SIGTERM during work, for every service as its own process, while merchants create payments. The service finishes and
// answers the work it has started, starts no new work, and ends with code 0 in time.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ServiceName } from "@pay/standalone";
import { describeWithKafka, until } from "@pay/testing";
import type { Answer } from "./harness/api.ts";
import { type Cluster, startCluster } from "./harness/distributed.ts";
import { type Orders, startOrders } from "./harness/load.ts";
import { createPayment, type Merchant, openShop, RECIPIENT } from "./harness/merchant.ts";
import { holdTable } from "./harness/superuser.ts";

const GRACE_MS = 25_000;

describeWithKafka("a SIGTERM under load", () => {
  let cluster: Cluster;
  let shop: Merchant;
  let orders: Orders;

  beforeAll(async () => {
    cluster = await startCluster();
    shop = await openShop(cluster.credentials);
    orders = startOrders(shop, { workers: 4 });
    await orders.more(10);
  });
  afterAll(async () => {
    await orders?.finish();
    await shop?.receiver.stop();
    await cluster?.stop();
  });

  function childOf(name: ServiceName) {
    const child = cluster.product.children.get(name);
    if (child === undefined) throw new Error(`${name} does not run`);
    return child;
  }

  async function stopped(name: ServiceName) {
    const startedAt = performance.now();
    const code = await childOf(name).stop();
    return { code, tookMs: performance.now() - startedAt };
  }

  /** The product works again: new orders of the same load are created and delivered. */
  async function restart(name: ServiceName) {
    await cluster.product.restart(name);
    await orders.more(10);
    expect(orders.strange).toEqual([]);
  }

  function refusesConnections(port: number) {
    return until(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, "127.0.0.1");
          socket.once("connect", () => resolve(socket.destroy() && false));
          socket.once("error", () => resolve(true));
        }),
      { what: "a closed port" },
    );
  }

  const order = { amount: "2.5", currency: "native", recipientAddress: RECIPIENT };
  const wallet = { walletAddress: RECIPIENT, displayName: "Ada" };
  function chains(api: Merchant["api"]) {
    return api.get("/v1/chains", { "X-Publishable-Key": cluster.credentials.publishableKey });
  }

  const work: [ServiceName, string, number, (api: Merchant["api"]) => Promise<Answer>][] = [
    [
      "payments",
      "payment_records",
      201,
      (api) => api.post("/v1/payments", { ...order, chainId: 31_337 }),
    ],
    ["customers", "customers", 201, (api) => api.post("/v1/customers", wallet)],
    ["refunds", "refunds", 200, (api) => api.get("/v1/refunds")],
    ["chains", "chains", 200, chains],
  ];

  test.each(work)("%s finishes the calls it has begun and takes no other", async (...row) => {
    const [name, table, status, call] = row;
    const port = Number(childOf(name).environment[`${name.toUpperCase()}_GRPC_PORT`]);
    // The first call of its kind takes longer than a lock may be held.
    expect((await call(shop.api)).status).toBe(status);
    const lock = await holdTable(cluster, name, table, "all");
    const begun = call(shop.api);
    await lock.waitedFor();
    const end = stopped(name);
    await refusesConnections(port);
    await lock.release();
    expect((await begun).status).toBe(status);
    const { code, tookMs } = await end;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GRACE_MS);
    await restart(name);
  });

  test("gateway answers the requests it has started and accepts no others", async () => {
    const lock = await holdTable(cluster, "payments", "payment_records", "all");
    const begun = [1, 2, 3].map(() => createPayment(shop.api));
    await lock.waitedFor();
    const end = stopped("gateway");
    await refusesConnections(Number(childOf("gateway").environment.PORT));
    await lock.release();
    for (const payment of await Promise.all(begun)) expect(payment.id).toMatch(/^pay_/);
    const { code, tookMs } = await end;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GRACE_MS);
    await restart("gateway");
  });

  test("webhooks waits for the answers to the requests it has sent, and sends no request twice", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    shop.receiver.respondWith((_, response) => {
      void answered.then(() => response.writeHead(200).end());
    });
    const sent = shop.receiver.all.length;
    await until(() => shop.receiver.inFlight.now > 0, { what: "a delivery under way" });
    const end = stopped("webhooks");
    await refusesConnections(Number(childOf("webhooks").environment.WEBHOOKS_GRPC_PORT));
    const underWay = shop.receiver.all.slice(sent);
    answer();
    const { code, tookMs } = await end;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GRACE_MS);
    shop.receiver.respondWith(200);
    await restart("webhooks");
    const later = await createPayment(shop.api);
    await shop.deliveryOf("payment.created", later.id as string);
    for (const { headers } of underWay) {
      const id = headers["x-service-event-id"];
      const times = shop.receiver.all.filter((one) => one.headers["x-service-event-id"] === id);
      expect(times).toHaveLength(1);
    }
  });
});
