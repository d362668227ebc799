import { expect, test } from "@jest/globals";
import { HELD_MAX, shareOf } from "./share.ts";

/** Stuck endpoints take what they may, again and again, until nothing changes. */
const fill = (endpoints: number): number[] => {
  const held = new Array<number>(endpoints).fill(0);
  for (let changed = true; changed; ) {
    changed = false;
    for (let at = 0; at < endpoints; at++) {
      const all = held.reduce((sum, one) => sum + one, 0);
      const own = held[at] ?? 0;
      if (own >= shareOf(all)) continue;
      held[at] = own + 1;
      changed = true;
    }
  }
  return held;
};

test("an endpoint alone may have its full queue", () => {
  expect(fill(1)).toEqual([256]);
});

test.each([10, 80, 300])("beside %i stuck endpoints there is room for one more", (stuck) => {
  const all = fill(stuck).reduce((sum, one) => sum + one, 0);
  expect(all).toBeLessThan(HELD_MAX);
  expect(shareOf(all)).toBeGreaterThanOrEqual(32);
});

test("a full memory takes nothing", () => {
  expect([shareOf(HELD_MAX), shareOf(HELD_MAX + 500)]).toEqual([0, 0]);
});
