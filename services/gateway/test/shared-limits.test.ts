// Rate limits of several replicas over one real Redis, and what happens when it goes away.
import { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { createLog, createTestRuntime, type Lifecycle, systemClock } from "@pay/process";
import { describeWithRedis, type TestRedis, testRedis, until } from "@pay/testing";
import { createClient } from "@redis/client";
import { register } from "prom-client";
import type { Caller } from "../src/keys/caller.ts";
import { createLimits } from "../src/pipeline/limits/limits.ts";
import { openRedisBuckets } from "../src/pipeline/limits/redis.ts";
import type { Params, Route } from "../src/pipeline/route.ts";

const MINUTE_MS = 60_000;
// Longer than in production, so that on a busy machine only a Redis that stands still counts as late.
const ANSWER_TIMEOUT_MS = 3_000;
// No bucket refills while a test runs, however slow the machine: a token takes a thousand seconds.
const PER_SECOND = 0.001;
const LIMITS = {
  live: { perSecond: PER_SECOND, burst: 100 },
  test: { perSecond: 0, burst: 0 },
  member: { perSecond: 3, burst: 5 },
  routePerSecond: 0,
  addressPerSecond: 0,
  publicPerSecond: 0,
  wrongSecretsPerMinute: 1,
  ssoPerSecond: 0,
  wrongKeysPerMinute: 0,
};

interface Asked {
  project: string;
  limit?: "standard" | "confirm" | "sso";
  id?: string;
}

async function openReplica(url: string, config = LIMITS) {
  const said = new PassThrough();
  const lines: string[] = [];
  said.on("data", (chunk: Buffer) => lines.push(chunk.toString()));
  const life: Lifecycle = {
    ...createTestRuntime("gateway"),
    log: createLog("gateway", "info", said),
  };
  const shared = await openRedisBuckets({ url, timeoutMs: ANSWER_TIMEOUT_MS, runtime: life });
  const limits = createLimits(config, systemClock, shared);
  async function take({ project, limit = "standard", id = "pay_1" }: Asked) {
    const response = new ServerResponse({ method: "GET" } as never);
    let waited = false;
    async function take() {
      const taking = limits.take(
        { limit, method: "GET", path: "/a" } as unknown as Route,
        { projectId: project, mode: "live", type: "secret" } as Caller,
        {
          clientAddress: () => "1.1.1.1",
          params: { id } as Params,
        },
        response,
      );
      waited = taking !== undefined;
      await taking;
    }

    const refusal: unknown = await take().catch((error: unknown) => error);
    if (refusal !== undefined) expect(refusal).toMatchObject({ errorCode: "rate_limited" });
    return { passed: refusal === undefined, waited, headers: response.getHeaders() };
  }

  async function passes(count: number, asked: Asked) {
    return (await Promise.all(Array.from({ length: count }, () => take(asked)))).filter(
      ({ passed }) => passed,
    ).length;
  }

  function fail({ project, id = "pay_1" }: Asked) {
    return limits.noteWrongSecret({ projectId: project, mode: "live" } as Caller, {
      clientAddress: () => "1.1.1.1",
      params: { id } as Params,
    });
  }

  const { takeWrongKey } = limits;
  return { take, passes, fail, takeWrongKey, lines, stop: () => life.stop() };
}

function openClient(url: string) {
  return createClient({ url, RESP: 2 });
}

type Client = ReturnType<typeof openClient>;
type Replica = Awaited<ReturnType<typeof openReplica>>;

async function fallbacks(): Promise<number> {
  const metric = await register.getSingleMetric("rate_limit_fallbacks_total")?.get();
  return (metric?.values ?? []).reduce((sum, { value }) => sum + value, 0);
}

describeWithRedis("shared limits", () => {
  let redis: TestRedis;
  const replicas: Replica[] = [];
  let projects = 0;
  function project() {
    return `proj_${++projects}`;
  }

  async function open(config = LIMITS) {
    const replica = await openReplica(redis.url, config);
    replicas.push(replica);
    return replica;
  }

  beforeAll(async () => {
    redis = await testRedis();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
  });
  afterAll(() => redis.kill());

  async function look<T>(act: (client: Client) => Promise<T>) {
    const client = openClient(redis.url);
    await client.connect();
    try {
      return await act(client);
    } finally {
      client.destroy();
    }
  }

  test("a project has one bucket, however many replicas it asks", async () => {
    const [one, other] = [await open(), await open()];
    const asked = { project: project() };
    const passed = await Promise.all([one.passes(90, asked), other.passes(90, asked)]);
    const sum = passed.reduce((all, count) => all + count);
    expect(sum).toBe(100);
    expect(Math.min(...passed)).toBeGreaterThan(0);
    expect(await other.passes(5, { project: project() })).toBe(5);
  });

  test("answers are the same wherever the buckets are kept", async () => {
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
    const replica = await open({ ...LIMITS, ssoPerSecond: PER_SECOND });
    const asked = { project: project() };
    expect(await replica.passes(60, { ...asked, limit: "sso" })).toBe(1);
    expect(await replica.passes(120, asked)).toBe(99);
  });

  test("wrong keys count on all replicas together", async () => {
    const config = { ...LIMITS, wrongKeysPerMinute: 2 };
    const [one, other] = [await open(config), await open(config)];
    const network = (++projects).toString(16);
    const stranger = { clientAddress: () => `2001:db8:0:${network}::1` };
    const source = { clientAddress: () => `2001:db8:1:${network}::1` };
    function guess(replica: Replica, from: typeof source) {
      return replica.takeWrongKey(from, new ServerResponse({ method: "GET" } as never));
    }

    await guess(one, source);
    await guess(other, stranger);
    await guess(other, source);
    await expect(guess(other, source)).rejects.toThrow("Too many requests");
    await expect(guess(one, source)).rejects.toThrow("Too many requests");
  });

  test("wrong secrets count on all replicas together, and a right one takes nothing", async () => {
    const config = { ...LIMITS, wrongSecretsPerMinute: 3 };
    const [one, other] = [await open(config), await open(config)];
    const asked = { project: project(), limit: "confirm" as const };
    expect((await one.passes(20, asked)) + (await other.passes(20, asked))).toBe(40);
    for (const replica of [one, other, one]) replica.fail(asked);
    await until(async () => (await other.passes(1, asked)) === 0, { what: "an empty bucket" });
    expect((await other.take(asked)).headers).toMatchObject({
      "ratelimit-policy": '"payment";q=3;w=60',
      ratelimit: expect.stringMatching(/^"payment";r=0;t=(60|5\d)$/),
      "retry-after": expect.any(Number),
    });
    expect(await one.passes(1, { ...asked, id: "pay_2" })).toBe(1);
  });

  test("buckets keep one number each and are gone once they are full", async () => {
    const replica = await open({ ...LIMITS, live: { perSecond: 20, burst: 100 } });
    const asked = { project: project(), limit: "confirm" as const };
    replica.fail(asked);
    await replica.take({ project: asked.project });
    function getKeys(client: Client) {
      return client.keys(`*${asked.project}:live*`);
    }

    const [payment = "", ...more] = await look(async (client) =>
      (await getKeys(client)).filter((key) => key.includes("payment")),
    );
    const name = `pay:limits:{${asked.project}:live} payment pay_1 1.1.1.1`;
    expect([payment, more]).toEqual([name, []]);
    const [fullAt, expiresMs] = await look((client) =>
      Promise.all([client.get(payment), client.pTTL(payment)]),
    );
    expect(fullAt).toMatch(/^\d{16}$/);
    expect(expiresMs).toBeGreaterThan(MINUTE_MS / 2);
    expect(expiresMs).toBeLessThanOrEqual(MINUTE_MS);
    await until(() => look(async (client) => (await getKeys(client)).length === 1), {
      what: "the end of the full bucket",
    });
  });

  test("after a clock was set back, a client waits no longer than for an empty bucket", async () => {
    const replica = await open({ ...LIMITS, live: { perSecond: 50, burst: 100 } });
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
      // Only the first request waits for a Redis that does not answer.
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

  test("a Redis that refuses writes counts as away, and no line shows its password", async () => {
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
