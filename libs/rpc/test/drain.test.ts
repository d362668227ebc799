import { connect as connectTcp, createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { createLifecycle, createLog, createTestRuntime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { connect, type Handlers, implement, serve } from "../src/index.ts";

function handlers(work: Promise<void>): Handlers<typeof CustomersService> {
  const customer = { id: "cust_1", projectId: "proj_1", version: 1 };
  return {
    getCustomer: async ({ id }) => {
      if (id === "slow") await work;
      return { customer };
    },
    createCustomer: async () => ({ customer }),
    batchGetCustomers: async () => ({ customers: [customer] }),
    listCustomers: async () => ({ customers: [customer], total: 1n }),
    updateCustomer: async () => ({ customer }),
    deleteCustomer: async () => ({ id: "cust_1" }),
  };
}

/** Counts the connections that go through it. */
async function countingProxy(port: number) {
  let connections = 0;
  const server = createServer((near) => {
    connections++;
    const far = connectTcp(port, "127.0.0.1");
    near.on("error", () => far.destroy()).pipe(far);
    far.on("error", () => near.destroy()).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };
  return {
    address: `127.0.0.1:${own}`,
    connections: () => connections,
    close: () => server.close(),
  };
}

test.each(["127.0.0.1", "::"])(
  "a server on %s that stops moves its callers while it still serves, and drops no call",
  async (grpcHost) => {
    const work = Promise.withResolvers<void>();
    const log = createLog("rpc", "silent");
    const life = createLifecycle({ service: "rpc", log, grpcHost, drainDelayMs: 5_000 });
    const services = [implement(CustomersService, handlers(work.promise))];
    const { address } = await serve({ runtime: life, port: 0, services });
    const proxy = await countingProxy(Number(address.split(":")[1]));
    const caller = createTestRuntime("caller");
    const client = connect(CustomersService, proxy.address, caller);

    await client.getCustomer({ id: "cust_1" });
    const slow = client.getCustomer({ id: "slow" });
    expect(proxy.connections()).toBe(1);
    let stopped = false;
    const stop = life.stop().finally(() => {
      stopped = true;
    });
    while (proxy.connections() < 2) await client.getCustomer({ id: "cust_1" });
    expect(stopped).toBe(false);
    work.resolve();
    await expect(slow).resolves.toMatchObject({ customer: { id: "cust_1" } });
    expect(await stop).toBe(true);
    await expect(client.getCustomer({ id: "cust_1" })).rejects.toMatchObject({
      errorCode: "service_unavailable",
    });
    await caller.stop();
    proxy.close();
  },
);
