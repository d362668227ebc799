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
import { CREATION, holdTable } from "./harness/superuser.ts";

/** Of the calls below, where the service's own jobs read the table too. */
const STATEMENTS: Partial<Record<ServiceName, RegExp>> = {
  payments: CREATION,
  chains: /merchant_transfers/,
};
const GRACE_MS = 25_000;
/** Payments refuses a call that waited one second for a lock; every other service waits for longer. */
const WAIT_MAX_MS = 900;
const STOPS_MAX = 5;

describeWithKafka("a SIGTERM under load", () => {
  let cluster: Cluster;
  let shop: Merchant;
  let orders: Orders;

  beforeAll(async () => {
    cluster = await startCluster();
    shop = await openShop(cluster.credentials);
    orders = startOrders(shop);
    await orders.more(10);
  });
  afterAll(async () => {
    await orders?.finish();
    await shop?.receiver.stop();
    await cluster?.stop();
  });

  function getChild(name: ServiceName) {
    const child = cluster.product.children.get(name);
    if (child === undefined) throw new Error(`${name} does not run`);
    return child;
  }

  async function stopped(name: ServiceName) {
    const startedAt = performance.now();
    const code = await getChild(name).stop();
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
  function createOrder(api: Merchant["api"]) {
    return api.post("/v1/payments", { ...order, chainId: 31_337 });
  }

  const work: [ServiceName, string, number, (api: Merchant["api"]) => Promise<Answer>][] = [
    ["payments", "payments", 201, createOrder],
    ["customers", "customers", 201, (api) => api.post("/v1/customers", wallet)],
    ["refunds", "refunds", 200, (api) => api.get("/v1/refunds")],
    ["chains", "transfers", 200, (api) => api.get("/v1/transfers?unmatched=true")],
  ];

  function getPort(name: ServiceName) {
    const { environment } = getChild(name);
    return Number(
      name === "gateway" ? environment.PORT : environment[`${name.toUpperCase()}_GRPC_PORT`],
    );
  }

  /** Stops the service while a call waits for the table, and says what became of both. */
  async function stopDuring(
    name: ServiceName,
    held: readonly [ServiceName, string],
    call: (api: Merchant["api"]) => Promise<Answer>,
  ) {
    for (let stops = 1; ; stops++) {
      // Without orders of the load at the lock, it is this call that waits.
      const goOn = await orders.pause();
      const lock = await holdTable(cluster, ...held, "all");
      const waitsSince = performance.now();
      const begun = call(shop.api);
      const isHeld = await lock.holds(begun, STATEMENTS[held[0]]);
      goOn();
      if (!isHeld) {
        // A service that has just come back may refuse a call once: then it waits for nothing.
        await lock.release();
        const { status } = await begun;
        if (stops === STOPS_MAX) throw new Error(`${held[1]} was not reached: ${status}`);
        continue;
      }
      const end = stopped(name);
      await refusesConnections(getPort(name));
      await lock.release();
      const waitedMs = performance.now() - waitsSince;
      const { status, body } = await begun;
      const { code, tookMs } = await end;
      await restart(name);
      // On a machine that took longer to stop it, the call may have been refused for the lock.
      if (waitedMs < WAIT_MAX_MS || stops === STOPS_MAX) {
        // A refusal says here what it was, and after which wait.
        const refusal = status < 400 ? undefined : `${body.message} after ${waitedMs} ms`;
        return { status, refusal, code, tookMs };
      }
    }
  }

  test.each(work)("%s finishes the calls it has begun and takes no other", async (...row) => {
    const [name, table, status, call] = row;
    // The first call of its kind takes longer than a lock may be held.
    expect((await call(shop.api)).status).toBe(status);
    const end = await stopDuring(name, [name, table], call);
    expect(end).toMatchObject({ status, refusal: undefined, code: 0 });
    expect(end.tookMs).toBeLessThan(GRACE_MS);
  });

  test("gateway answers the requests it has started and accepts no others", async () => {
    const end = await stopDuring("gateway", ["payments", "payments"], createOrder);
    expect(end).toMatchObject({ status: 201, refusal: undefined, code: 0 });
    expect(end.tookMs).toBeLessThan(GRACE_MS);
  });

  test("webhooks waits for the answers to the requests it has sent, and sends no request twice", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    shop.receiver.respondWith((_, response) => {
      void answered.then(() => response.writeHead(200).end());
    });
    const sent = shop.receiver.all.length;
    await until(() => shop.receiver.inFlight.now > 0, { what: "a delivery under way" });
    const end = stopped("webhooks");
    await refusesConnections(getPort("webhooks"));
    const underWay = shop.receiver.all.slice(sent);
    answer();
    const { code, tookMs } = await end;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(GRACE_MS);
    shop.receiver.respondWith(200);
    await restart("webhooks");
    const later = await createPayment(shop.api);
    await shop.waitForDelivery("payment.created", later.id as string);
    for (const { headers } of underWay) {
      const id = headers["x-service-event-id"];
      const times = shop.receiver.all.filter((one) => one.headers["x-service-event-id"] === id);
      expect(times).toHaveLength(1);
    }
  });
});
