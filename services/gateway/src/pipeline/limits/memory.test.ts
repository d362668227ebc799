import { expect, test } from "@jest/globals";
import type { Policy } from "./bucket.ts";
import { createMemoryBuckets } from "./memory.ts";

const MINUTE_US = 60_000_000;
const ADDRESSES = 100_100;

test("requests from a hundred thousand addresses make no bucket of another kind full again", () => {
  const { draw } = createMemoryBuckets({ now: () => new Date(0) });
  function policy(name: string): Policy {
    return { name, burst: 1, refillUs: MINUTE_US };
  }

  function take(name: string, of: string) {
    return draw([{ name: of, policy: policy(name), cost: 1 }]);
  }

  const kinds = ["project", "route", "payment", "keys"];
  for (const kind of kinds) expect(take(kind, "innocent").waitUs).toBe(0);
  for (let at = 0; at < ADDRESSES; at++) take("address", `${at}`);
  for (const kind of kinds) expect(take(kind, "innocent").waitUs).toBe(MINUTE_US);
  // Among addresses, the last one is remembered and the first one is not.
  expect(take("address", `${ADDRESSES - 1}`).waitUs).toBe(MINUTE_US);
  expect(take("address", "0").waitUs).toBe(0);
});

test("a bucket that is only asked is as full as before, and takes no place", () => {
  const { draw } = createMemoryBuckets({ now: () => new Date(0) });
  const policy: Policy = { name: "payment", burst: 2, refillUs: MINUTE_US };
  function one(cost: 0 | 1) {
    return draw([{ name: "one", policy, cost }]);
  }

  for (let at = 0; at < 10; at++) expect(one(0)).toEqual({ waitUs: 0, aheadUs: [0] });
  one(1);
  expect(one(0)).toEqual({ waitUs: 0, aheadUs: [MINUTE_US] });
  one(1);
  expect(one(0)).toEqual({ waitUs: MINUTE_US, aheadUs: [2 * MINUTE_US] });
});
