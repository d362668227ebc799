// Who may call what, over real gRPC: the callers an rpc names, by tokens of their own.
import type { DescService } from "@bufbuild/protobuf";
import { credentials, Metadata, makeGenericClientConstructor } from "@grpc/grpc-js";
import { afterAll, expect, test } from "@jest/globals";
import { createTestRuntime, type Identity } from "@pay/process";
import * as proto from "@pay/proto";
import { connect, getCallers, type Handlers, implement, serve } from "../src/index.ts";

const { ChainsService, CustomersService, Health } = proto;
function token(name: string) {
  return `${name}: a token of 32 characters or more`;
}

function shows(name: string): Identity {
  return { token: token(name), callers: {} };
}

const undo: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const stop of undo.reverse()) await stop();
});

const handlers: Handlers<typeof ChainsService> = {
  listChains: async () => ({ chains: [] }),
  countUnusedTransfers: async () => ({}),
  cancelIntent: async () => ({}),
  listMovements: async () => ({ movements: [] }),
  submitAuthorization: async () => ({}),
  getAuthorization: async () => ({}),
  findAuthorization: async () => ({}),
  checkRecipient: async () => ({}),
  listHealth: async () => ({ chains: [] }),
  batchGetBalances: async () => ({ balances: [] }),
  recheckDeposit: async () => ({ deposits: [] }),
  listBooks: async () => ({}),
  listOpenBooks: async () => ({}),
  getBook: async () => ({}),
  getBookProgress: async () => ({}),
  checkRefund: async () => ({}),
  checkSignature: async () => ({}),
  batchGetTransfers: async () => ({ transfers: [] }),
  explainPayment: async () => ({}),
  listTransfers: async () => ({}),
  listUndecidedTransfers: async () => ({}),
  getTransfer: async () => ({}),
};

async function startChains(callers: Identity["callers"]) {
  const runtime = createTestRuntime("chains", { identity: { token: undefined, callers } });
  undo.push(() => runtime.stop());
  return serve({ runtime, port: 0, services: [implement(ChainsService, handlers)] });
}

function callAs(identity: Identity | undefined, address: string) {
  const runtime = createTestRuntime("caller", identity === undefined ? {} : { identity });
  undo.push(() => runtime.stop());
  return connect(ChainsService, address, runtime);
}

function answered(call: Promise<object>): Promise<string> {
  return call.then(
    () => "answered",
    ({ errorCode }) => errorCode,
  );
}

test("every rpc names its callers", () => {
  const services = (Object.values(proto) as { kind?: string }[]).filter(
    (one) => one.kind === "service" && one !== Health,
  ) as DescService[];
  expect(services.length).toBeGreaterThanOrEqual(5);
  for (const { methods } of services) {
    for (const method of methods) expect([`${method}`, getCallers(method)]).not.toContainEqual([]);
  }
});

test("an rpc that names no caller keeps its server from starting", async () => {
  const runtime = createTestRuntime("health");
  const services = [implement(Health, { check: async () => ({}) })];
  await expect(serve({ runtime, port: 0, services })).rejects.toThrow("names no caller");
});

test("an rpc is answered to the callers it names and to no other service", async () => {
  const { address } = await startChains({
    gateway: [token("gateway")],
    payments: [token("payments")],
  });
  const tried = await Promise.all(
    ["gateway", "payments", "refunds"].map(async (name) => {
      const client = callAs(shows(name), address);
      return [
        name,
        await answered(client.listChains({})),
        await answered(client.countUnusedTransfers({})),
        await answered(client.listMovements({})),
      ];
    }),
  );
  expect(tried).toEqual([
    ["gateway", "answered", "caller_not_allowed", "answered"],
    ["payments", "answered", "answered", "caller_not_allowed"],
    ["refunds", "caller_unknown", "caller_unknown", "caller_unknown"],
  ]);
  const stranger = callAs(undefined, address);
  expect(await answered(stranger.listChains({}))).toBe("caller_unknown");
});

test("a caller's next token is taken beside the old one, and a token that only looks alike is not", async () => {
  const [old, next] = [token("old"), token("next")];
  const { address } = await startChains({ gateway: [next, old] });
  function ask(shown: string) {
    return answered(callAs({ token: shown, callers: {} }, address).listChains({}));
  }

  expect(await Promise.all([old, next].map(ask))).toEqual(["answered", "answered"]);
  const unknown = ["", "x", old.toUpperCase(), `${old},${next}`];
  expect(new Set(await Promise.all(unknown.map(ask)))).toEqual(new Set(["caller_unknown"]));
});

test("a token that several callers share has the rights of each", async () => {
  const shared = token("shared");
  const { address } = await startChains({ gateway: [shared], payments: [shared] });
  const client = callAs({ token: shared, callers: {} }, address);
  expect(await answered(client.countUnusedTransfers({}))).toBe("answered");
  expect(await answered(client.listMovements({}))).toBe("answered");
});

test("health is answered without a token, and for a short name only", async () => {
  const { address } = await startChains({ gateway: [token("gateway")] });
  const runtime = createTestRuntime("prober");
  undo.push(() => runtime.stop());
  const health = connect(Health, address, runtime);
  expect((await health.check({})).status).toBe(proto.HealthCheckResponse_ServingStatus.SERVING);
  const long = health.check({ service: "x".repeat(100_000) });
  await expect(long).rejects.toMatchObject({ errorCode: "call_malformed" });
});

/** Sends bytes as they are. */
function sendRaw(address: string, path: string, bytes: Buffer, shown?: string) {
  const Stub = makeGenericClientConstructor({}, "Raw");
  const stub = new Stub(address, credentials.createInsecure(), {
    "grpc.max_send_message_length": bytes.length + 1_000,
  });
  undo.push(async () => stub.close());
  const metadata = new Metadata();
  if (shown !== undefined) metadata.set("x-service-token", shown);
  const deadline = new Date(Date.now() + 60_000);
  return new Promise<string>((resolve) => {
    stub.makeUnaryRequest(
      path,
      (message: Buffer) => message,
      (message: Buffer) => message,
      bytes,
      metadata,
      { deadline },
      (error) => resolve(error?.metadata?.get("failure-code")[0]?.toString() ?? `${error}`),
    );
  });
}

test("a message is not decoded before its sender is known", async () => {
  const { address } = await startChains({ gateway: [token("gateway")] });
  const junk = Buffer.alloc(3_900_000, 0xff);
  const path = `/${ChainsService.typeName}/BatchGetTransfers`;
  expect(await sendRaw(address, path, junk)).toBe("caller_unknown");
  expect(await sendRaw(address, path, junk, token("refunds"))).toBe("caller_unknown");
  expect(await sendRaw(address, path, junk, token("gateway"))).toBe("call_malformed");
});

test("a service's callers are those of its rpcs", () => {
  expect(getCallers(ChainsService).sort()).toEqual(["gateway", "payments", "refunds"]);
  expect(getCallers(CustomersService)).toEqual(["gateway"]);
});
