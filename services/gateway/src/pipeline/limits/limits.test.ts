import { ServerResponse } from "node:http";
import { expect, test } from "@jest/globals";
import type { Caller } from "../../keys/caller.ts";
import type { Params, Route } from "../route.ts";
import { createLimits } from "./limits.ts";

const LIMITS = {
  live: { perSecond: 10, burst: 20 },
  test: { perSecond: 1, burst: 2 },
  member: { perSecond: 3, burst: 5 },
  routePerSecond: 5,
  addressPerSecond: 2,
  publicPerSecond: 0,
  wrongSecretsPerMinute: 2,
  ssoPerSecond: 1,
  wrongKeysPerMinute: 0,
};
const OFF = { perSecond: 0, burst: 0 };
const ZEROS = Object.fromEntries(Object.keys(LIMITS).map((name) => [name, 0]));
const NONE = { ...LIMITS, ...ZEROS, live: OFF, test: OFF, member: OFF };

function arrange(config = LIMITS) {
  let nowMs = 0;
  const limits = createLimits(config, { now: () => new Date(nowMs) });
  function take(
    of: {
      limit?: string;
      project?: string;
      mode?: string;
      ip?: string;
      id?: string;
      path?: string;
      type?: string;
      refused?: boolean;
    } = {},
  ) {
    const {
      limit = "standard",
      project = "proj_1",
      mode = "live",
      ip = "1.1.1.1",
      id = "pay_1",
      path = "/a",
      type = "secret",
      refused = false,
    } = of;
    const response = new ServerResponse({ method: "GET" } as never);
    let passed = true;
    try {
      const taking = limits[refused ? "takeRejected" : "take"](
        { limit, method: "GET", path } as unknown as Route,
        { projectId: project, mode, type } as Caller,
        {
          clientAddress: () => ip,
          params: { id } as Params,
        },
        response,
      );
      expect(taking).toBeUndefined();
    } catch (error) {
      expect(error).toMatchObject({ errorCode: "rate_limited", message: "Too many requests" });
      passed = false;
    }
    return { passed, ...response.getHeaders() };
  }

  function passes(count: number, of: Parameters<typeof take>[0] = {}) {
    return Array.from({ length: count }, () => take(of)).filter(({ passed }) => passed).length;
  }

  function fail(count: number, { ip, id, mode }: { ip?: string; id?: string; mode?: string }) {
    const caller = { projectId: "proj_1", mode: mode ?? "live" } as Caller;
    const params = { id: id ?? "pay_1" } as Params;
    for (let at = 0; at < count; at++) {
      limits.noteWrongSecret(caller, { clientAddress: () => ip ?? "", params });
    }
  }

  async function guess(count: number, ip: string): Promise<number> {
    let limited = 0;
    for (let at = 0; at < count; at++) {
      const response = new ServerResponse({ method: "GET" } as never);
      try {
        await limits.takeWrongKey({ clientAddress: () => ip }, response);
      } catch (error) {
        expect(error).toMatchObject({ errorCode: "rate_limited" });
        limited++;
      }
    }
    return limited;
  }

  return {
    take,
    fail,
    guess,
    passes,
    move: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("a bucket gives its burst at once and then what trickles in", () => {
  const { passes, move } = arrange();
  function spread(count: number) {
    return Array.from({ length: count }, (_, n) => passes(1, { path: `/${n}` })).filter(Boolean)
      .length;
  }

  expect(spread(30)).toBe(20);
  move(100);
  expect(spread(5)).toBe(1);
  move(60_000);
  expect(spread(30)).toBe(20);
});

test("one route and one address have limits of their own", () => {
  const { passes } = arrange();
  expect(passes(9)).toBe(5);
  expect(passes(9, { path: "/b" })).toBe(5);
  expect(passes(9, { limit: "public" })).toBe(2);
  expect(passes(9, { limit: "public", ip: "2.2.2.2" })).toBe(2);
});

const GUESS = { limit: "confirm", ip: "3.3.3.3" };

test("a payment's confirms are held up by wrong secrets alone, and only where these came from", () => {
  const { passes, fail } = arrange({ ...LIMITS, addressPerSecond: 0 });
  expect(passes(99, GUESS)).toBe(99);
  fail(2, GUESS);
  expect(passes(9, GUESS)).toBe(0);
  expect(passes(9, { ...GUESS, ip: "4.4.4.4" })).toBe(9);
  expect(passes(9, { ...GUESS, id: "pay_2" })).toBe(9);
  expect(passes(9, { ...GUESS, mode: "test" })).toBe(9);
});

test("a payment's confirms pass again where wrong secrets came from, as tokens come back", () => {
  const { passes, fail, move } = arrange();
  fail(9, GUESS);
  expect(passes(1, GUESS)).toBe(0);
  move(30_000);
  expect(passes(2, GUESS)).toBe(2);
});

test("public traffic of a project has a bound over all its addresses", () => {
  const { passes } = arrange({ ...LIMITS, publicPerSecond: 5 });
  function from(count: number, of: object) {
    return Array.from({ length: count }, (_, at) =>
      passes(1, { ip: `10.0.0.${at}`, ...of }),
    ).filter(Boolean).length;
  }

  expect(from(20, { limit: "public" })).toBe(5);
  expect(from(20, { limit: "confirm" })).toBe(0);
  expect(from(20, { limit: "public", project: "proj_2" })).toBe(5);
  expect(passes(5)).toBe(5);
});

test("what is refused to a publishable key takes from its address alone, and nothing that others need", () => {
  const { passes } = arrange({ ...LIMITS, publicPerSecond: 5 });
  const page = { limit: "public", type: "publishable" };
  for (let at = 0; at < 20; at++) {
    expect(passes(9, { ...page, ip: `10.0.0.${at}`, refused: true })).toBe(2);
  }
  expect(passes(9, { ...page, ip: "10.0.0.1" })).toBe(2);
  expect(passes(9, { refused: true })).toBe(5);
  expect(passes(9)).toBe(0);
});

test("wrong keys of an address are limited, and get tokens back", async () => {
  const { guess, move } = arrange({ ...LIMITS, wrongKeysPerMinute: 60 });
  expect(await guess(62, "1.1.1.1")).toBe(2);
  expect(await guess(1, "1.1.1.2")).toBe(0);
  move(1_000);
  expect(await guess(2, "1.1.1.1")).toBe(1);
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

test("a clock that is set back refuses no client for longer than an empty bucket does", () => {
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
