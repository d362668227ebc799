import { channel } from "node:diagnostics_channel";
import type { ClientHttp2Stream, Http2Session } from "node:http2";
import { connect as connectTcp, createServer } from "node:net";
import { pipeline } from "node:stream";
import { credentials, makeGenericClientConstructor } from "@grpc/grpc-js";
import { expect, test } from "@jest/globals";
import { createLifecycle, createLog, createTestRuntime } from "@pay/process";
import { CustomersService } from "@pay/proto";
import { until } from "@pay/testing";
import { type LazyMessage, type Method, serviceDefinition } from "../src/contract.ts";
import { answerLatePings } from "../src/draining.ts";
import { connect, implement, serve } from "../src/index.ts";
import { CLIENT_OPTIONS } from "../src/options.ts";
import { completeHandlers } from "./some-of.ts";

function handlers(work: Promise<void>) {
  const customer = { id: "cust_1", projectId: "proj_1", version: 1 };
  return completeHandlers({
    getCustomer: async ({ id }) => {
      if (id === "slow") await work;
      return { customer };
    },
  });
}

/** Counts the connections that go through it. */
async function countingProxy(port: number) {
  let connections = 0;
  const server = createServer((near) => {
    connections++;
    const far = connectTcp(port, "127.0.0.1");
    // Ends both with the first of them that ends.
    pipeline(near, far, near, () => undefined);
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

/** The pings of connections whose server has asked its callers to move. */
function countLatePings() {
  const created = channel("http2.client.stream.created");
  const seen = new WeakSet<Http2Session>();
  let count = 0;
  function observe(message: unknown) {
    const { session } = (message as { stream: ClientHttp2Stream }).stream;
    if (session === undefined || seen.has(session)) return;
    seen.add(session);
    session.once("goaway", () => {
      const ping = session.ping.bind(session) as (...given: unknown[]) => boolean;
      Object.assign(session, {
        ping: (...given: unknown[]) => {
          count++;
          return ping(...given);
        },
      });
    });
  }

  created.subscribe(observe);
  return { count: () => count, close: () => created.unsubscribe(observe) };
}

test("a call under way outlives the keepalive of a connection that its server is about to end", async () => {
  const work = Promise.withResolvers<void>();
  const log = createLog("rpc", "silent");
  const life = createLifecycle({ service: "rpc", log, grpcHost: "127.0.0.1", drainDelayMs: 0 });
  const services = [implement(CustomersService, handlers(work.promise))];
  const { address } = await serve({ runtime: life, port: 0, services });
  const forgetPings = answerLatePings();
  const pings = countLatePings();
  const definition = serviceDefinition(CustomersService);
  const Stub = makeGenericClientConstructor(definition, "customers");
  const options = { ...CLIENT_OPTIONS, "grpc.keepalive_time_ms": 20 };
  const stub = new Stub(address, credentials.createInsecure(), options);
  function get(id: string) {
    const { path, requestSerialize, responseDeserialize } = definition.getCustomer as Method;
    return new Promise<LazyMessage>((resolve, reject) => {
      const deadline = Date.now() + 60_000;
      stub.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        { id },
        { deadline },
        (error, message?: LazyMessage) => (error ? reject(error) : resolve(message as LazyMessage)),
      );
    });
  }

  const slow = Promise.allSettled([get("slow")]);
  // The same connection has brought the slow call before.
  await get("cust_1");
  const stop = life.stop();
  await until(() => pings.count() > 0, { what: "a ping of the connection that ends" });
  work.resolve();
  expect((await slow).map(({ status }) => status)).toEqual(["fulfilled"]);
  expect(await stop).toBe(true);
  pings.close();
  stub.close();
  forgetPings();
});
