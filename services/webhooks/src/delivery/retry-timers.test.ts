import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createManualTimeline } from "../../test/manual-timeline.ts";
import { createRetryTimers } from "./retry-timers.ts";

function setUp() {
  const timeline = createManualTimeline();
  const due: { item: number; at: number }[] = [];
  const retryTimers = createRetryTimers<number>(timeline, (items) => {
    for (const item of items) due.push({ item, at: timeline.now() });
  });
  return { timeline, due, retryTimers };
}

test("items are due earliest first and never early, in any order of insertion", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 200 }), (moments) => {
      const { timeline, due, retryTimers } = setUp();
      for (const moment of moments) retryTimers.add(moment, moment);
      for (let now = 0; now <= 1_000; now += 50) timeline.advanceTo(now);
      expect(due.map(({ item }) => item)).toEqual([...moments].sort((a, b) => a - b));
      expect(due.every(({ item, at }) => item <= at)).toBe(true);
      expect(retryTimers.size()).toBe(0);
    }),
  );
});

test("an earlier item moves the timer forward", () => {
  const { timeline, due, retryTimers } = setUp();
  retryTimers.add(500, 500);
  retryTimers.add(100, 100);
  timeline.advanceTo(100);
  expect(due).toEqual([{ item: 100, at: 100 }]);
  timeline.advanceTo(500);
  expect(due).toHaveLength(2);
});

test("a timer that fires early waits again", () => {
  const { timeline, due, retryTimers } = setUp();
  retryTimers.add(100, 1);
  timeline.wakeEarly();
  expect(due).toEqual([]);
  timeline.advanceTo(100);
  expect(due).toHaveLength(1);
});

test("cleared items are never due", () => {
  const { timeline, due, retryTimers } = setUp();
  retryTimers.add(10, 1);
  retryTimers.clear();
  timeline.advanceTo(1_000);
  expect(due).toEqual([]);
});
