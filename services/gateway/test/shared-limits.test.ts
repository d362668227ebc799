// Rate limits of several replicas over one real Redis, and what becomes of them when it goes away.
import { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createLog, createTestRuntime, type Life, systemClock } from "@pay/process";
import { describeWithRedis, type TestRedis, testRedis, until } from "@pay/testing";
import { createClient } from "@redis/client";
import { register } from "prom-client";
import type { Caller } from "../src/caller.ts";
import { createLimits } from "../src/limits/limits.ts";
import { openRedisBuckets } from "../src/limits/redis.ts";
import type { Route } from "../src/route.ts";

const MINUTE_MS = 60_000;
// More than in earnest, so that only what stands still counts as late on a busy machine.
const ANSWER_TIMEOUT_MS = 500;
// Nothing comes back while a test runs, however slow the machine: a token takes a thousand seconds.
const PER_SECOND = 0.001;
const CONFIG = {
  RATE_LIMIT_LIVE_PER_SECOND: PER_SECOND,
  RATE_LIMIT_LIVE_BURST: 100,
  RATE_LIMIT_TEST_PER_SECOND: 0,
  RATE_LIMIT_TEST_BURST: 0,
  RATE_LIMIT_ROUTE_PER_SECOND: 0,
  RATE_LIMIT_ADDRESS_PER_SECOND: 0,
  RATE_LIMIT_CONFIRM_PER_MINUTE: 1,
  RATE_LIMIT_SSO_PER_SECOND: 0,
};

interface Asked {
  project: string;
  limit?: "standard" | "confirm" | "sso";
  id?: string;
}

const openReplica = async (url: string, config = CONFIG) => {
  const said = new PassThrough();
  const lines: string[] = [];
  said.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
  const life: Life = { ...createTestRuntime("gateway"), log: createLog("gateway", "info", said) };
  const shared = await openRedisBuckets({ url, timeoutMs: ANSWER_TIMEOUT_MS, runtime: life });
  const limits = createLimits(config, systemClock, shared);
  const take = async ({ project, limit = "standard", id = "pay_1" }: Asked) => {
    const response = new ServerResponse({ method: "GET" } as never);
    let waited = false;
    const take = async () => {
      const taking = limits.take(
        { limit, method: "GET", path: "/a" } as unknown as Route,
        { projectId: project, mode: "live", type: "secret" } as Caller,
        { clientAddress: () => "1.1.1.1", params: { id, chainId: "", deliveryId: "" } },
        response,
      );
      waited = taking !== undefined;
      await taking;
    };
    const refusal: unknown = await take().catch((error: unknown) => error);
    if (refusal !== undefined) expect(refusal).toMatchObject({ kind: "resource_exhausted" });
    return { passed: refusal === undefined, waited, headers: response.getHeaders() };
  };
  const passes = async (count: number, asked: Asked) =>
    (await Promise.all(Array.from({ length: count }, () => take(asked)))).filter(
      ({ passed }) => passed,
    ).length;
  return { take, passes, lines, stop: () => life.stop() };
};

const openClient = (url: string) => createClient({ url, RESP: 2 });
type Client = ReturnType<typeof openClient>;
type Replica = Awaited<ReturnType<typeof openReplica>>;

const fallbacks = async (): Promise<number> => {
  const metric = await register.getSingleMetric("rate_limit_fallbacks_total")?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
};

describeWithRedis("shared limits", () => {
  let redis: TestRedis;
  const replicas: Replica[] = [];
  let projects = 0;
  const project = () => `proj_${++projects}`;
  const open = async (config = CONFIG) => {
    const replica = await openReplica(redis.url, config);
    replicas.push(replica);
    return replica;
  };
  beforeAll(async () => {
    redis = await testRedis();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  });
  afterAll(() => redis.kill());

  const look = async <T>(act: (client: Client) => Promise<T>) => {
    const client = openClient(redis.url);
    await client.connect();
    try {
      return await act(client);
    } finally {
      client.destroy();
    }
  };

  test("a project has one bucket, however many replicas it asks", async () => {
    const [one, other] = [await open(), await open()];
    const asked = { project: project() };
    const passed = await Promise.all([one.passes(90, asked), other.passes(90, asked)]);
    const sum = passed.reduce((all, count) => all + count);
    expect(sum).toBe(100);
    expect(Math.min(...passed)).toBeGreaterThan(0);
    expect(await other.passes(5, { project: project() })).toBe(5);
  });

  test("what a client is told does not depend on where buckets are kept", async () => {
    const replica = await open();
    const asked = { project: project() };
    const { headers } = await replica.take(asked);
    expect(headers).toEqual({
      "ratelimit-policy": '"project";q=100;w=100000',
      ratelimit: '"project";r=99;t=1000',
    });
    await replica.passes(110, asked);
    expect((await replica.take(asked)).headers).toEqual({
      "ratelimit-policy": '"project";q=100;w=100000',
      ratelimit: expect.stringMatching(/^"project";r=0;t=(100000|999\d\d)$/),
      "retry-after": expect.closeTo(1_000, -2),
    });
  });

  test("a request draws from all its buckets or from none", async () => {
    const replica = await open({ ...CONFIG, RATE_LIMIT_SSO_PER_SECOND: PER_SECOND });
    const asked = { project: project() };
    expect(await replica.passes(60, { ...asked, limit: "sso" })).toBe(1);
    expect(await replica.passes(120, asked)).toBe(99);
  });

  test("buckets keep one number each and are gone once they are full", async () => {
    const replica = await open({ ...CONFIG, RATE_LIMIT_LIVE_PER_SECOND: 20 });
    const asked = { project: project(), limit: "confirm" as const };
    await replica.take(asked);
    await replica.take({ project: asked.project });
    const keysOf = (client: Client) => client.keys(`*${asked.project}:live*`);
    const [payment = "", ...more] = await look(async (client) =>
      (await keysOf(client)).filter((key) => key.includes("payment")),
    );
    expect([payment, more]).toEqual([`pay:limits:{${asked.project}:live} payment pay_1`, []]);
    const [fullAt, expiresMs] = await look((client) =>
      Promise.all([client.get(payment), client.pTTL(payment)]),
    );
    expect(fullAt).toMatch(/^\d{16}$/);
    expect(expiresMs).toBeGreaterThan(MINUTE_MS / 2);
    expect(expiresMs).toBeLessThanOrEqual(MINUTE_MS);
    await until(() => look(async (client) => (await keysOf(client)).length === 1), {
      what: "the end of the full bucket",
    });
  });

  test("a clock that was set back keeps nobody out for longer than an empty bucket does", async () => {
    const replica = await open({ ...CONFIG, RATE_LIMIT_LIVE_PER_SECOND: 50 });
    const asked = { project: project() };
    const nextYearUs = `${(Date.now() + 365 * 24 * 60 * MINUTE_MS) * 1_000}`;
    const key = `pay:limits:{${asked.project}:live} project `;
    await look((client) => client.set(key, nextYearUs));
    expect((await replica.take(asked)).headers).toMatchObject({ "retry-after": 1 });
    await until(async () => (await replica.take(asked)).passed, { what: "a request that passes" });
  });

  const outages: [string, () => unknown, () => unknown][] = [
    ["hangs", () => redis.freeze(), () => redis.thaw()],
    ["dies", () => redis.kill(), () => redis.restart()],
  ];
  test.each(outages)("a Redis that %s stops no request and no limit", async (_, go, comeBack) => {
    const replica = await open();
    const before = await fallbacks();
    expect(await replica.passes(3, { project: project() })).toBe(3);
    await go();
    try {
      const first = await replica.take({ project: project() });
      expect(first.passed).toBe(true);
      const asked = { project: project() };
      expect(await replica.passes(150, asked)).toBe(100);
      expect(await fallbacks()).toBe(before + 151);
      // Nobody but the first waits for who does not answer.
      expect((await replica.take(asked)).waited).toBe(false);
    } finally {
      await comeBack();
    }
    await until(
      async () => {
        const counted = await fallbacks();
        await replica.take({ project: project() });
        return (await fallbacks()) === counted;
      },
      { what: "a request that is counted in Redis again" },
    );
    const asked = { project: project() };
    const other = await open();
    const passed = (await replica.passes(80, asked)) + (await other.passes(80, asked));
    expect(passed).toBe(100);
    expect(replica.lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "warn", msg: "Redis is away: this replica counts rate limits alone" },
      { level: "info", msg: "rate limits are shared through Redis again" },
    ]);
  });

  test("a replica starts without Redis, says so once and finds it later", async () => {
    await redis.kill();
    const replica = await open();
    expect(await replica.passes(110, { project: project() })).toBe(100);
    await redis.restart();
    await until(() => replica.lines.length === 2, { what: "the second line" });
    const [away, back] = replica.lines.map((line) => JSON.parse(line));
    expect(away).toMatchObject({ level: "warn", reason: "ECONNREFUSED" });
    expect(back).toMatchObject({ level: "info" });
    expect(replica.lines.join()).not.toContain(redis.url.slice("redis://".length));
  });

  test("a Redis that may not be written to counts as away, and its password is told to nobody", async () => {
    await look((client) => client.configSet("min-replicas-to-write", "1"));
    const replica = await open();
    expect(await replica.passes(110, { project: project() })).toBe(100);
    expect(JSON.parse(replica.lines.join())).toMatchObject({
      level: "warn",
      reason: expect.stringContaining("NOREPLICAS"),
    });
    await look((client) => client.configSet("min-replicas-to-write", "0"));
    const url = redis.url.replace("redis://", "redis://shop:s3cret@");
    const stranger = await openReplica(url);
    replicas.push(stranger);
    expect(JSON.parse(stranger.lines.join()).reason).toContain("WRONGPASS");
    expect(stranger.lines.join()).not.toContain("s3cret");
  });
});
