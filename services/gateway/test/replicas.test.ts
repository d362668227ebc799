// Two gateways as replicas of one: the same database, the same Redis.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ConfigError, readConfig } from "@pay/process";
import {
  describeWithPostgres,
  describeWithRedis,
  limitRates,
  type TestRedis,
  testRedis,
} from "@pay/testing";
import { gatewayConfig } from "../src/config.ts";
import { refusal, startTestGateway, type TestGateway, type TestProject } from "./gateway.ts";

function describeWithBoth(name: string, body: () => void) {
  return describeWithPostgres(name, () => describeWithRedis("with Redis", body));
}

describeWithBoth("two replicas", () => {
  let redis: TestRedis;
  let replicas: TestGateway[];
  let shop: TestProject;
  beforeAll(async () => {
    redis = await testRedis();
    const env = {
      REDIS_URL: redis.url,
      ...limitRates({ live: { perSecond: 1, burst: 20 } }),
    };
    const bounds = { redisTimeoutMs: 10_000 };
    const first = await startTestGateway({ env, bounds });
    replicas = [first, await startTestGateway({ env, bounds, databaseUrl: first.databaseUrl })];
    shop = await first.addProject();
  });
  afterAll(async () => {
    for (const replica of replicas.toReversed()) await replica.stop();
    await redis.kill();
  });

  function askAll(count: number) {
    return Promise.all(
      Array.from({ length: count }, (_, at) =>
        (replicas[at % 2] as TestGateway).ask("GET", "/v1/projects/me", {
          headers: { "x-secret-key": shop.secret },
        }),
      ),
    );
  }

  test("count a project's requests together and say so alike", async () => {
    const fromMs = performance.now();
    const answers = await askAll(40);
    const cameBack = Math.ceil((performance.now() - fromMs) / 1_000);
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed.length).toBeGreaterThanOrEqual(20);
    expect(passed.length).toBeLessThanOrEqual(20 + cameBack);
    for (const { status, headers, body } of answers) {
      expect(headers["ratelimit-policy"]).toBe('"project";q=20;w=20');
      expect(headers.ratelimit).toMatch(/^"project";r=\d+;t=\d+$/);
      if (status === 200) continue;
      expect(body).toEqual(refusal(429, "Too Many Requests", "Too many requests"));
      expect(headers["retry-after"]).toBe("1");
    }
  });

  test("serve and stay ready without Redis", async () => {
    await redis.kill();
    const answers = await askAll(20);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    for (const { life } of replicas) {
      expect(await life.readiness()).toMatchObject({ ready: true });
    }
  });
});

describe("REDIS_URL", () => {
  function listFaults(url: string): readonly string[] {
    try {
      readConfig(gatewayConfig.pick({ REDIS_URL: true }), { REDIS_URL: url });
    } catch (error) {
      return (error as ConfigError).faults;
    }
    return [];
  }

  test.each([
    "redis://redis.data.svc",
    "redis://10.0.0.7:6379/1",
    "rediss://pay:p%40ss@redis.example.com:6380",
    "redis://:s3cret@[::1]:6379",
  ])("%s is an address", (url) => {
    expect(listFaults(url)).toEqual([]);
  });

  test.each([
    "redis.data.svc:6379",
    "http://s3cret@redis:6379",
    "redis://",
    "redis://:s3cret@",
    "redis://redis:s3cret",
    "redis://redis/s3cret",
    "redis://redis?s3cret",
    "redis://s3cret:%zz@redis",
    "unix:///s3cret",
  ])("%s is refused by name and not shown", (url) => {
    const [fault = "", ...more] = listFaults(url);
    expect(more).toEqual([]);
    expect(fault).toMatch(/^REDIS_URL must be redis:\/\/host or rediss:\/\/host, with /);
    expect(fault).not.toContain("s3cret");
  });
});
