import { expect, test } from "@jest/globals";
import { BUFFER_MAX, computeQuota, countFree } from "./buffer-quota.ts";

function deliveries(count: number, bodyBytes = 0) {
  return { deliveries: count, bodyBytes };
}

/** Stuck endpoints take what they may, again and again, until nothing changes. */
function fill(endpoints: number): number[] {
  const usage = new Array<number>(endpoints).fill(0);
  for (let changed = true; changed; ) {
    changed = false;
    for (let at = 0; at < endpoints; at++) {
      const all = usage.reduce((sum, one) => sum + one, 0);
      const own = usage[at] ?? 0;
      if (own >= computeQuota(deliveries(all))) continue;
      usage[at] = own + 1;
      changed = true;
    }
  }
  return usage;
}

test("a single endpoint can fill its queue", () => {
  expect(fill(1)).toEqual([256]);
});

test.each([10, 80, 300])("%i stuck endpoints leave room for one more", (stuck) => {
  const all = fill(stuck).reduce((sum, one) => sum + one, 0);
  expect(all).toBeLessThan(BUFFER_MAX.deliveries);
  expect(computeQuota(deliveries(all))).toBeGreaterThanOrEqual(32);
});

test("a full memory accepts nothing", () => {
  expect([computeQuota(BUFFER_MAX), computeQuota(deliveries(BUFFER_MAX.deliveries + 500))]).toEqual(
    [0, 0],
  );
});

test("large bodies fill the memory before many deliveries do", () => {
  expect(computeQuota(deliveries(BUFFER_MAX.deliveries / 10, BUFFER_MAX.bodyBytes))).toBe(0);
  expect(computeQuota(deliveries(1, BUFFER_MAX.bodyBytes / 2))).toBe(156);
});

test("as many bodies of a size are loaded as fit", () => {
  expect([
    countFree(deliveries(0), 64 * 1024),
    countFree(deliveries(300, BUFFER_MAX.bodyBytes - 100_000), 64 * 1024),
    countFree(deliveries(BUFFER_MAX.deliveries - 5), 1),
    countFree(deliveries(1, BUFFER_MAX.bodyBytes + 1), 1),
  ]).toEqual([384, 1, 5, 0]);
});
