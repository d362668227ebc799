import { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import type { Caller } from "../caller.ts";
import type { Route } from "../route.ts";
import { createLimits } from "./limits.ts";

const CONFIG = {
  RATE_LIMIT_LIVE_PER_SECOND: 10,
  RATE_LIMIT_LIVE_BURST: 20,
  RATE_LIMIT_TEST_PER_SECOND: 1,
  RATE_LIMIT_TEST_BURST: 2,
  RATE_LIMIT_ROUTE_PER_SECOND: 5,
  RATE_LIMIT_ADDRESS_PER_SECOND: 2,
  RATE_LIMIT_CONFIRM_PER_MINUTE: 2,
  RATE_LIMIT_SSO_PER_SECOND: 1,
};
const NONE = Object.fromEntries(Object.keys(CONFIG).map((name) => [name, 0])) as typeof CONFIG;

const arrange = (config = CONFIG) => {
  let nowMs = 0;
  const limits = createLimits(config, { now: () => new Date(nowMs) });
  const take = (
    of: {
      limit?: string;
      project?: string;
      mode?: string;
      ip?: string;
      id?: string;
      path?: string;
      type?: string;
    } = {},
  ) => {
    const {
      limit = "standard",
      project = "proj_1",
      mode = "live",
      ip = "1.1.1.1",
      id = "pay_1",
      path = "/a",
      type = "secret",
    } = of;
    const response = new ServerResponse({ method: "GET" } as never);
    let passed = true;
    try {
      const taking = limits.take(
        { limit, method: "GET", path } as unknown as Route,
        { projectId: project, mode, type } as Caller,
        { clientAddress: () => ip, params: { id, chainId: "", deliveryId: "" } },
        response,
      );
      expect(taking).toBeUndefined();
    } catch (error) {
      expect(error).toMatchObject({ kind: "resource_exhausted", message: "Too many requests" });
      passed = false;
    }
    return { passed, ...response.getHeaders() };
  };
  const passes = (count: number, of: Parameters<typeof take>[0] = {}) =>
    Array.from({ length: count }, () => take(of)).filter(({ passed }) => passed).length;
  return {
    take,
    passes,
    move: (ms: number) => {
      nowMs += ms;
    },
  };
};

test("a bucket gives its burst at once and then what trickles in", () => {
  const { passes, move } = arrange();
  const spread = (count: number) =>
    Array.from({ length: count }, (_, n) => passes(1, { path: `/${n}` })).filter(Boolean).length;
  expect(spread(30)).toBe(20);
  move(100);
  expect(spread(5)).toBe(1);
  move(60_000);
  expect(spread(30)).toBe(20);
});

test("one route, one address and one payment have limits of their own", () => {
  const { passes } = arrange();
  expect(passes(9)).toBe(5);
  expect(passes(9, { path: "/b" })).toBe(5);
  expect(passes(9, { limit: "public" })).toBe(2);
  expect(passes(9, { limit: "public", ip: "2.2.2.2" })).toBe(2);
  expect(passes(1, { limit: "confirm", ip: "3.3.3.3" })).toBe(1);
  expect(passes(9, { limit: "confirm", ip: "4.4.4.4" })).toBe(1);
  expect(passes(9, { limit: "confirm", ip: "5.5.5.5", id: "pay_2" })).toBe(2);
});

test("a shopper with a session draws from the bucket of their address, not from the merchant's", () => {
  const { passes } = arrange();
  expect(passes(9, { type: "publishable" })).toBe(2);
  expect(passes(9, { type: "publishable", path: "/b" })).toBe(0);
  expect(passes(9)).toBe(5);
});

test("a project cannot use up what belongs to another, nor its live mode what belongs to its test mode", () => {
  const { passes } = arrange();
  passes(50);
  expect(passes(9, { project: "proj_2" })).toBe(5);
  expect(passes(9, { mode: "test" })).toBe(2);
});

test("a refused request takes nothing from any bucket", () => {
  const { passes } = arrange();
  passes(100);
  expect(passes(5, { path: "/b" }) + passes(5, { path: "/c" }) + passes(5, { path: "/d" })).toBe(
    15,
  );
});

test("answers say what the limit is, what is left and when to come back", () => {
  const { take, passes } = arrange();
  expect(take()).toEqual({
    passed: true,
    "ratelimit-policy": '"project";q=20;w=2, "route";q=5;w=1',
    ratelimit: '"project";r=19;t=1, "route";r=4;t=1',
  });
  passes(4);
  expect(take()).toMatchObject({
    passed: false,
    ratelimit: expect.stringContaining('"route";r=0;t=1'),
    "retry-after": 1,
  });
});

test("a clock that is set back keeps nobody out for longer than an empty bucket does", () => {
  const { passes, move } = arrange();
  expect(passes(5)).toBe(5);
  move(-3_600_000);
  expect(passes(1)).toBe(0);
  move(1_000);
  expect(passes(9)).toBe(5);
});

test("0 means no limit and no word about it", () => {
  const { take, passes } = arrange(NONE);
  expect(passes(1_000)).toBe(1_000);
  expect(take()).toEqual({ passed: true });
});
