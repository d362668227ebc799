// A key in an address is in logs of other programs already. The request is refused, and our log names the key's owner
// but
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLog } from "@pay/process";
import { describeWithPostgres } from "@pay/testing";
import { newSecret } from "@pay/values";
import { register } from "prom-client";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

describeWithPostgres("a key in the query", () => {
  let gateway: TestGateway;
  let shop: TestProject;
  let said = "";
  beforeAll(async () => {
    const sink = new PassThrough();
    sink.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    gateway = await startTestGateway({ log: createLog("gateway", "trace", sink) });
    shop = await gateway.addProject();
  });
  afterAll(() => gateway.stop());

  async function counted(): Promise<number> {
    const metric = await register.getSingleMetric("auth_failures_total")?.get();
    return metric?.values.find(({ labels }) => labels.reason === "in_query")?.value ?? 0;
  }

  function warnings() {
    return said
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === "warn");
  }

  test.each([
    ["its own", () => shop.secret, "sk_live_"],
    ["a publishable one", () => shop.testPublishable, "pk_test_"],
    ["one that does not exist", () => newSecret("rk_live_"), "rk_live_"],
    ["a session", () => newSecret("sess_"), "sess_"],
  ])("%s is refused, counted and logged without the key itself", async (_, getKey, kind) => {
    said = "";
    const key = getKey();
    const before = await counted();
    const answer = await gateway.ask("GET", `/v1/projects/me?key=${key}`, {
      headers: { "x-secret-key": shop.secret },
    });
    expect(answer.body).toEqual(refusal(401, "Unauthorized", "API key is invalid or missing"));
    expect(await counted()).toBe(before + 1);
    expect(warnings()).toMatchObject([
      {
        msg: "a key came in the query of an address",
        kind,
        method: "GET",
        route: "/v1/projects/me",
        requestId: answer.headers["x-request-id"],
      },
    ]);
    expect(said).not.toContain(key.slice(kind.length, kind.length + 8));
  });

  test.each([
    ["alone", (key: string) => `key=${key}`],
    ["as the name of a parameter", (key: string) => `page=1&${key}`],
    ["among other text", (key: string) => `next=%2Fpay%3Fkey%3D${key}%26a`],
    ["behind one that does not exist", (key: string) => `a=${newSecret("sk_live_")}&b=${key}`],
  ])("a key %s is refused with its owner in the log", async (_, buildQuery) => {
    said = "";
    const { id, text } = await gateway.addKey(shop.id, { type: "secret", mode: "test" });
    const { status } = await gateway.ask("GET", `/v1/chains?${buildQuery(text)}`, {
      headers: { "x-publishable-key": shop.publishable },
    });
    expect(status).toBe(401);
    expect(warnings()).toMatchObject([{ projectId: shop.id, keyId: id, route: "/v1/chains" }]);
    expect(said).not.toContain(text.slice(8, 20));
  });

  test("a key that does not exist or was revoked has no owner in the log", async () => {
    const { id, text } = await gateway.addKey(shop.id, { type: "secret" });
    await gateway.pool.query("update api_keys set revoked_at = now() where id = $1", [id]);
    for (const key of [newSecret("sk_live_"), text]) {
      said = "";
      await gateway.ask("GET", `/v1/openapi.json?key=${key}`);
      const [warning, ...more] = warnings();
      expect(warning).toMatchObject({ kind: "sk_live_" });
      expect([warning?.projectId, warning?.keyId, more]).toEqual([undefined, undefined, []]);
    }
  });

  test("a key in its header makes no such line", async () => {
    said = "";
    await gateway.ask("GET", "/v1/projects/me?expand=sso", {
      headers: { "x-secret-key": shop.secret },
    });
    expect(warnings()).toEqual([]);
  });
});
