// A key in an address is in other people's logs already: it is refused, and somebody is told; but not the key.
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newSecret } from "@pay/money";
import { createLog } from "@pay/process";
import { describeWithPostgres } from "@pay/testing";
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

  const counted = async (): Promise<number> => {
    const metric = await register.getSingleMetric("auth_failures_total")?.get();
    return metric?.values.find(({ labels }) => labels.reason === "in_query")?.value ?? 0;
  };
  const warnings = () =>
    said
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line))
      .filter(({ level }) => level === "warn");

  test.each([
    ["its own", () => shop.secret, "sk_live_"],
    ["a publishable one", () => shop.testPublishable, "pk_test_"],
    ["one that does not exist", () => newSecret("rk_live_"), "rk_live_"],
    ["a session", () => newSecret("sess_"), "sess_"],
  ])("%s is refused, counted and told without being repeated", async (_, keyOf, kind) => {
    said = "";
    const key = keyOf();
    const before = await counted();
    const answer = await gateway.ask("GET", `/v1/projects/me?key=${key}`, {
      headers: { "x-secret-key": shop.secret },
    });
    expect(answer.body).toEqual(refusal(401, "Unauthorized", "API key is invalid or missing"));
    expect(await counted()).toBe(before + 1);
    expect(warnings()).toMatchObject([
      {
        msg: "a key came in the query of an address",
        ...{ kind, method: "GET", route: "/v1/projects/me" },
        requestId: answer.headers["x-request-id"],
      },
    ]);
    expect(said).not.toContain(key.slice(kind.length, kind.length + 8));
  });

  test("a key in its header is nothing to tell", async () => {
    said = "";
    await gateway.ask("GET", "/v1/projects/me?expand=sso", {
      headers: { "x-secret-key": shop.secret },
    });
    expect(warnings()).toEqual([]);
  });
});
