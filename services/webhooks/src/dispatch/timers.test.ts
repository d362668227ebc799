import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createManualTimeline } from "../../test/manual-timeline.ts";
import { createTimers } from "./timers.ts";

const setUp = () => {
  const timeline = createManualTimeline();
  const due: { item: number; at: number }[] = [];
  const timers = createTimers<number>(timeline, (items) => {
    for (const item of items) due.push({ item, at: timeline.now() });
  });
  return { timeline, due, timers };
};

test("whatever the order they come in, items are due earliest first and never early", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { maxLength: 200 }), (moments) => {
      const { timeline, due, timers } = setUp();
      for (const moment of moments) timers.add(moment, moment);
      for (let now = 0; now <= 1_000; now += 50) timeline.advanceTo(now);
      expect(due.map(({ item }) => item)).toEqual([...moments].sort((a, b) => a - b));
      expect(due.every(({ item, at }) => item <= at)).toBe(true);
      expect(timers.size()).toBe(0);
    }),
  );
});

test("an earlier item moves the timer forward", () => {
  const { timeline, due, timers } = setUp();
  timers.add(500, 500);
  timers.add(100, 100);
  timeline.advanceTo(100);
  expect(due).toEqual([{ item: 100, at: 100 }]);
  timeline.advanceTo(500);
  expect(due).toHaveLength(2);
});

test("a timer that fires too soon waits for the rest", () => {
  const { timeline, due, timers } = setUp();
  timers.add(100, 1);
  timeline.wakeEarly();
  expect(due).toEqual([]);
  timeline.advanceTo(100);
  expect(due).toHaveLength(1);
});

test("what is cleared never comes due", () => {
  const { timeline, due, timers } = setUp();
  timers.add(10, 1);
  timers.clear();
  timeline.advanceTo(1_000);
  expect(due).toEqual([]);
});
