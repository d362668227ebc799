// What merchants see when a part is away, and what logs and metrics keep to themselves.
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { describeWithPostgres, testPostgres, until } from "@pay/testing";
import { register } from "prom-client";
import { buildRequestExample } from "../src/api/openapi/operation.ts";
import { ROUTES } from "../src/index.ts";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

/** Well before the deadline of a call, which is half a minute in tests. */
const AT_ONCE_MS = 12_000;

function buildPath(path: string, prefix = "") {
  return path
    .replace("{id}", `${prefix}_${"A".repeat(24)}`)
    .replace("{chainId}", "1")
    .replace("{day}", "2026-01-31")
    .replace("{month}", "2026-01")
    .replace("{asset}/{payer}", `0x${"a".repeat(40)}/0x${"a".repeat(40)}`)
    .replace("{nonce}", `0x${"a".repeat(64)}`)
    .replace(/\{\w+\}/, "x");
}

/** Routes that the gateway answers by itself, or as far as it can. */
const OWN = ["projects", "auth", "audit", "members", "roles", "search", "needs", "request-logs"];

function isOwn(path: string) {
  return OWN.some((name) => path.startsWith(`/v1/${name}`));
}

describeWithPostgres("with every other service away", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let logged = "";
  beforeAll(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk;
        done();
      },
    });
    gateway = await startTestGateway({ log: createLog("gateway", "trace", sink) });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  const away = ROUTES.filter(({ auth, path }) => auth !== "none" && !isOwn(path)).map((route) => ({
    name: `${route.method} ${route.path}`,
    route,
  }));

  describe.each(away)("$name", ({ route }) => {
    test("is unavailable at once, with Retry-After", async () => {
      const body = buildRequestExample(route);
      const startedMs = performance.now();
      const answer = await gateway.ask(route.method, buildPath(route.path, route.id?.prefix), {
        headers: {
          "x-secret-key": shop.secret,
          "x-publishable-key": shop.publishable,
          ...(route.client && !body && { "x-client-secret": "cs_of_a_payment" }),
        },
        ...(body && { body }),
      });
      expect(answer.body).toEqual(refusal(503, "Service Unavailable", expect.any(String)));
      expect(answer.headers).toMatchObject({
        "retry-after": "1",
        "x-error-code": "service_unavailable",
      });
      expect(performance.now() - startedMs).toBeLessThan(AT_ONCE_MS);
    });
  });

  test("the request line of every answer of 500 and above names its code and its cause", async () => {
    const requestId = "failed-1";
    const headers = { "x-secret-key": shop.secret, "x-request-id": requestId };
    const paths = [buildPath("/v1/payments/{id}", "pay"), buildPath("/v1/refunds/{id}", "refund")];
    for (const path of paths) await gateway.ask("GET", path, { headers });
    await gateway.ask("GET", "/v1/customers/cust_1", { headers });
    const lines = await until(
      () => {
        const found = logged.split("\n").filter((line) => line.includes(requestId));
        return found.length === 3 && found.map((line) => JSON.parse(line));
      },
      { what: "three lines" },
    );
    const line = {
      level: "error",
      msg: "request",
      statusCode: 503,
      code: "service_unavailable",
      cause: expect.stringContaining("ECONNREFUSED"),
    };
    expect(lines).toMatchObject([
      { ...line, cause: expect.stringContaining("payments.v1.PaymentsService/BatchGetPayments") },
      { ...line, cause: expect.stringContaining("refunds.v1.RefundsService/GetRefund") },
      { level: "info", statusCode: 404 },
    ]);
    expect(lines[0]).toMatchObject(line);
    expect(Object.keys(lines[2])).not.toContain("cause");
  });

  test("an address for webhooks is refused while their service is away, and nothing is changed", async () => {
    for (const secret of [shop.secret, shop.testSecret]) {
      const asked = { headers: { "x-secret-key": secret } };
      const before = (await gateway.ask("GET", "/v1/projects/me", asked)).body;
      const body = { callbackUrl: "https://hooks.example/" };
      const answer = await gateway.ask("PUT", "/v1/projects/me", { ...asked, body });
      expect(answer.body).toEqual(refusal(503, "Service Unavailable", expect.any(String)));
      expect((await gateway.ask("GET", "/v1/projects/me", asked)).body).toEqual(before);
    }
    const asked = { headers: { "x-secret-key": shop.secret }, body: { name: "Still here" } };
    expect((await gateway.ask("PUT", "/v1/projects/me", asked)).status).toBe(200);
  });

  test("logs name requests, never keys, secrets or what was sent", async () => {
    const canary = "canary-in-the-body";
    const clientSecret = "cs_live_canaryInTheSecret";
    const headers = {
      "x-secret-key": shop.secret,
      "x-publishable-key": shop.publishable,
      "x-request-id": "seen-1",
    };
    await gateway.ask("PUT", "/v1/projects/me", { headers, body: { name: canary } });
    await gateway.ask("PUT", "/v1/projects/me", { headers, body: `{"${canary}` });
    await gateway.ask("GET", `/v1/payments?orderId=${canary}&key=${shop.secret}`, { headers });
    const path = `/v1/payments/pay_${"A".repeat(24)}/confirm`;
    await gateway.ask("POST", path, {
      headers,
      body: { clientSecret, txHash: `0x${"c".repeat(64)}` },
    });
    const { body } = await gateway.ask("POST", "/v1/projects/me/keys", {
      headers,
      body: { type: "secret", mode: "live" },
    });
    await until(() => logged.split("seen-1").length > 5, { what: "five lines" });
    const metrics = await register.metrics();
    for (const secret of [canary, clientSecret, shop.secret, shop.publishable, body.key]) {
      expect(logged).not.toContain(secret);
      expect(metrics).not.toContain(secret);
    }
    expect(metrics).not.toContain(shop.id);
  });

  test("metrics count by the route's template, and all unknown paths as one", async () => {
    await gateway.ask("GET", "/v1/nowhere-1");
    await gateway.ask("GET", `/v1/payments/pay_${"B".repeat(24)}`);
    const text = await until(
      async () => {
        const metrics = await register.metrics();
        return metrics.includes('route="unmatched"') && metrics;
      },
      { what: "the measurement" },
    );
    expect(text).toContain(
      'http_server_request_duration_seconds_count{method="GET",route="/v1/payments/{id}"',
    );
    expect(text).not.toContain("nowhere-1");
    expect(text).not.toContain("pay_BBBB");
    expect(text).toContain('auth_failures_total{reason="missing"}');
  });
});

describeWithPostgres("with the database", () => {
  test("away, requests are unavailable until it is back; recently used keys work for a few seconds", async () => {
    const postgres = await testPostgres("services/gateway");
    const gateway = await startTestGateway({ databaseUrl: postgres.url });
    try {
      const { secret } = await gateway.addProject();
      function me() {
        return gateway.ask("GET", "/v1/projects/me", { headers: { "x-secret-key": secret } });
      }

      expect((await me()).status).toBe(200);
      await postgres.kill();
      const answer = await me();
      expect(answer.body).toEqual(refusal(503, "Service Unavailable", expect.any(String)));
      expect(answer.headers["retry-after"]).toBe("1");
      // All replicas share it: were none ready, merchants would get a balancer's answer instead of this one.
      expect(await gateway.life.readiness()).toMatchObject({ ready: true });
      await postgres.start();
      await until(async () => (await me()).status === 200, { what: "recovery" });
    } finally {
      await gateway.stop();
      await postgres.drop();
    }
  });
});
