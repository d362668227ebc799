import { Writable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { customersConfig, startCustomers } from "@pay/customers";
import { createLocalBus } from "@pay/events";
import { createLog, createTestRuntime, readConfig } from "@pay/process";
import { describeWithPostgres, testDatabase } from "@pay/testing";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

const KNOWN = "t".repeat(32);

describeWithPostgres("a service that refuses the gateway", () => {
  const undo: (() => Promise<unknown>)[] = [];
  let logged = "";
  let address = "";

  beforeAll(async () => {
    const { url, drop } = await testDatabase("services/customers");
    undo.push(drop);
    const life = createTestRuntime("customers", {
      identity: { token: undefined, callers: { gateway: ["g".repeat(32)], refunds: [KNOWN] } },
    });
    undo.push(() => life.stop());
    const env = { CUSTOMERS_DATABASE_URL: url, CUSTOMERS_GRPC_PORT: "0" };
    const bus = createLocalBus();
    ({ address } = await startCustomers(readConfig(customersConfig, env), life, { bus }));
  });
  afterAll(async () => {
    for (const undoOne of undo.reverse()) await undoOne();
  });

  async function startGatewayWith(token: string): Promise<[TestGateway, TestProject]> {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    const gateway = await startTestGateway({
      env: { CUSTOMERS_ADDRESS: address },
      log: createLog("gateway", "trace", sink),
      identity: { token, callers: {} },
    });
    undo.push(() => gateway.stop());
    return [gateway, await gateway.addProject()];
  }

  test.each([
    ["for a token that it does not know", "w".repeat(32), "caller_unknown"],
    ["for the token of a service without the right", KNOWN, "caller_not_allowed"],
  ])("%s is unavailable to the merchant, whose key is right", async (_, token, code) => {
    const [gateway, shop] = await startGatewayWith(token);
    const answer = await gateway.ask("GET", "/v1/customers", {
      headers: { "x-secret-key": shop.secret },
    });
    expect(answer.body).toEqual(
      refusal(503, "Service Unavailable", "The service is not available"),
    );
    expect(answer.headers).toMatchObject({
      "x-error-code": "service_unavailable",
      "retry-after": "1",
    });
    expect(logged).toContain(`"code":"${code}"`);
    expect(logged).not.toContain(token);
  });
});
