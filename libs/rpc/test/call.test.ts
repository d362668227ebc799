import { constants, createServer as createHttp2Server } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { createLog, createTestRuntime } from "@pay/process";
import {
  CustomersService,
  Health,
  PaymentsService,
  HealthCheckResponse_ServingStatus as Serving,
} from "@pay/proto";
import { connect, implement, serve } from "../src/index.ts";
import { completeHandlers } from "./some-of.ts";

const runtime = createTestRuntime("rpc");
const seen: { requestId: string; projectId: string; leftMs: number }[] = [];

const customer = { id: "cust_1", projectId: "proj_1", version: 1 };
const hanging = Promise.withResolvers<void>();
const handlers = completeHandlers({
  getCustomer: async ({ id }, context) => {
    seen.push({
      requestId: context.requestId,
      projectId: context.projectId,
      leftMs: context.deadline.getTime() - Date.now(),
    });
    if (id === "missing")
      throw new Failure("customer_not_found", "Customer not found – 100 % nicht da%20");
    if (id === "broken") throw new Error("password=s3cret");
    if (id === "hanging") await hanging.promise;
    return { customer };
  },
});
const { address } = await serve({
  runtime,
  port: 0,
  services: [implement(CustomersService, handlers)],
});
const client = connect(CustomersService, address, runtime);

const onEnd: (() => void)[] = [];
afterAll(async () => {
  hanging.resolve();
  await runtime.stop();
  for (const end of onEnd) end();
});

test("messages go there and back, with the caller's request, project and deadline", async () => {
  const context = {
    requestId: "r-1",
    projectId: "proj_1",
    deadline: new Date(Date.now() + 30_000),
  };
  const answer = await client.getCustomer({ id: "cust_1" }, { context });
  expect(answer.customer).toMatchObject(customer);
  const call = seen.at(-1);
  expect(call).toMatchObject({ requestId: "r-1", projectId: "proj_1" });
  expect(call?.leftMs).toBeGreaterThan(0);
  expect(call?.leftMs).toBeLessThanOrEqual(30_010);
});

test("a failure arrives as the same failure, with any characters in its message", async () => {
  await expect(client.getCustomer({ id: "missing" })).rejects.toMatchObject({
    errorCode: "customer_not_found",
    message: "Customer not found – 100 % nicht da%20",
  });
});

test("a fault of the service travels as internal, without its text", async () => {
  await expect(client.getCustomer({ id: "broken" })).rejects.toMatchObject({
    errorCode: "internal",
    message: "Internal server error",
  });
});

test("a list that fails is logged with the request ids of all its items", async () => {
  const lines: string[] = [];
  const log = createLog("payments", "info", { write: (line) => lines.push(line) });
  const life = { ...createTestRuntime("payments"), log };
  async function fail(): Promise<never> {
    throw new Error("the database is away");
  }

  const server = await serve({
    runtime: life,
    port: 0,
    services: [
      implement(PaymentsService, {
        batchCreatePayments: fail,
        batchGetPayments: fail,
        batchOpenPayments: fail,
        batchSubmitTransactions: fail,
        findOpenPayments: fail,
        listPayments: fail,
        listUndecidedPayments: fail,
        listPaymentSums: fail,
        batchGetTimelines: fail,
        listActions: fail,
        declarePayer: fail,
        extendPayment: fail,
        createHandoff: fail,
        redeemHandoff: fail,
        cancelPayment: fail,
        resolvePayment: fail,
        assignTransfer: fail,
        refundPayment: fail,
      }),
    ],
  });
  const payments = connect(PaymentsService, server.address, life);
  const requests = [{ requestId: "r-1" }, { requestId: "r-2" }, {}];
  for (const call of [payments.batchCreatePayments, payments.batchGetPayments]) {
    await expect(call({ requests })).rejects.toMatchObject({ errorCode: "internal" });
  }
  const context = { requestId: "r-3" };
  await expect(payments.listPayments({}, { context })).rejects.toMatchObject({});
  await life.stop();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { method: "batchCreatePayments", requestIds: ["r-1", "r-2"] },
    { method: "batchGetPayments", requestIds: ["r-1", "r-2"] },
    { method: "listPayments", requestId: "r-3" },
  ]);
});

test("a service that hangs costs its caller no more than the deadline", async () => {
  await expect(client.getCustomer({ id: "hanging" }, { timeoutMs: 100 })).rejects.toMatchObject({
    errorCode: "deadline_exceeded",
  });
});

test("a service that is not there is unavailable", async () => {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  const absent = connect(CustomersService, `127.0.0.1:${port}`, runtime);
  await expect(absent.getCustomer({ id: "x" })).rejects.toMatchObject({
    errorCode: "service_unavailable",
  });
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
  async function ask(service: string) {
    return (await health.check({ service })).status;
  }

  expect([await ask("readiness"), await ask("liveness")]).toEqual([
    Serving.NOT_SERVING,
    Serving.SERVING,
  ]);
  broken = false;
  expect(await ask("readiness")).toBe(Serving.SERVING);
});

test("an rpc that the other side does not know yet is unavailable, as it is while versions are mixed", async () => {
  const older = await serve({ runtime, port: 0, services: [] });
  const newer = connect(CustomersService, older.address, runtime);
  await expect(newer.getCustomer({ id: "cust_1" })).rejects.toMatchObject({
    errorCode: "service_unavailable",
  });
});

async function breakStreams(code: number): Promise<string> {
  const breaking = createHttp2Server();
  onEnd.push(() => breaking.close());
  breaking.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    stream.close(code);
  });
  await new Promise<void>((resolve) => breaking.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(breaking.address() as AddressInfo).port}`;
}

const { NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR } = constants;
test.each([NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_PROTOCOL_ERROR])(
  "a stream that breaks with code %d before its status is a service that is away for the moment",
  async (code) => {
    const broken = connect(CustomersService, await breakStreams(code), runtime);
    await expect(broken.getCustomer({ id: "cust_1" })).rejects.toMatchObject({
      errorCode: "service_unavailable",
    });
  },
);
