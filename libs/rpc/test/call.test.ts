import { createServer } from "node:net";
import { afterAll, expect, test } from "@jest/globals";
import { createTestRuntime } from "@pay/process";
import { CustomersService, Health, HealthCheckResponse_ServingStatus as Serving } from "@pay/proto";
import { connect, Failure, type Handlers, implement, serve } from "../src/index.ts";

const runtime = createTestRuntime("rpc");
const seen: { requestId: string; projectId: string; leftMs: number }[] = [];

const customer = { id: "cust_1", projectId: "proj_1", version: 1 };
const hanging = Promise.withResolvers<void>();
const handlers: Handlers<typeof CustomersService> = {
  getCustomer: async ({ id }, context) => {
    seen.push({
      requestId: context.requestId,
      projectId: context.projectId,
      leftMs: context.deadline.getTime() - Date.now(),
    });
    if (id === "missing") throw new Failure("not_found", "Customer not found – 100 % nicht da%20");
    if (id === "broken") throw new Error("password=s3cret");
    if (id === "hanging") await hanging.promise;
    return { customer };
  },
  createCustomer: async () => ({ customer }),
  batchGetCustomers: async () => ({ customers: [customer] }),
  listCustomers: async () => ({ customers: [customer], total: 1n }),
  updateCustomer: async () => ({ customer }),
  deleteCustomer: async () => ({ id: "cust_1" }),
};
const { address } = await serve({
  runtime,
  host: "127.0.0.1",
  port: 0,
  services: [implement(CustomersService, handlers)],
});
const client = connect(CustomersService, address, runtime);

afterAll(async () => {
  hanging.resolve();
  await runtime.stop();
});

test("messages go there and back, with the caller's request, project and deadline", async () => {
  const context = { requestId: "r-1", projectId: "proj_1", deadline: new Date(Date.now() + 800) };
  const answer = await client.getCustomer({ id: "cust_1" }, { context });
  expect(answer.customer).toMatchObject(customer);
  const call = seen.at(-1);
  expect(call).toMatchObject({ requestId: "r-1", projectId: "proj_1" });
  expect(call?.leftMs).toBeGreaterThan(0);
  expect(call?.leftMs).toBeLessThanOrEqual(810);
});

test("a failure arrives as the same failure, with any letters in its message", async () => {
  await expect(client.getCustomer({ id: "missing" })).rejects.toMatchObject({
    kind: "not_found",
    message: "Customer not found – 100 % nicht da%20",
  });
});

test("a fault of the service travels as internal, without its text", async () => {
  await expect(client.getCustomer({ id: "broken" })).rejects.toMatchObject({
    kind: "internal",
    message: "Internal server error",
  });
});

test("a service that hangs costs its caller no more than the deadline", async () => {
  await expect(client.getCustomer({ id: "hanging" }, { timeoutMs: 100 })).rejects.toMatchObject({
    kind: "deadline_exceeded",
  });
});

test("a service that is not there is unavailable", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const nobody = connect(CustomersService, `127.0.0.1:${port}`, runtime);
  await expect(nobody.getCustomer({ id: "x" })).rejects.toMatchObject({ kind: "unavailable" });
});

test("health is answered through the same bridge", async () => {
  const health = connect(Health, address, runtime);
  expect((await health.check({ service: "" })).status).toBe(Serving.SERVING);
});

test("a probe tells a process that is not ready from one that is not alive", async () => {
  const health = connect(Health, address, runtime);
  let broken = true;
  runtime.readyWhen("database", () => {
    if (broken) throw new Error("down");
  });
  const ask = async (service: string) => (await health.check({ service })).status;
  expect([await ask("readiness"), await ask("liveness")]).toEqual([
    Serving.NOT_SERVING,
    Serving.SERVING,
  ]);
  broken = false;
  expect(await ask("readiness")).toBe(Serving.SERVING);
});

test("a service that knows its callers by token refuses all others, and takes the next token beside the old", async () => {
  const [old, next] = [
    "the token from before, 32 characters",
    "the token from now on, 32 characters",
  ];
  const guarded = createTestRuntime("guarded", { serviceTokens: [next, old] });
  const services = [implement(CustomersService, handlers)];
  const door = await serve({ runtime: guarded, host: "127.0.0.1", port: 0, services });
  const ask = (serviceTokens: readonly string[]) =>
    connect(CustomersService, door.address, { ...guarded, serviceTokens }).getCustomer({ id: "1" });
  for (const known of [[old], [next], [next, old]]) {
    expect((await ask(known)).customer).toMatchObject(customer);
  }
  for (const unknown of [[], ["x"], [old.toUpperCase(), old]]) {
    await expect(ask(unknown)).rejects.toMatchObject({ kind: "unauthenticated" });
  }
  expect((await connect(Health, door.address, runtime).check({})).status).toBe(Serving.SERVING);
  await guarded.stop();
});
