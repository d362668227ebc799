import { expect, test } from "@jest/globals";
import { createTagWatch } from "./chain-head-cache.ts";

const MINUTE_MS = 60_000;

test("a tag that has not moved for half an hour counts as absent until it moves again", () => {
  let nowMs = 0;
  const watch = createTagWatch(() => nowMs);
  expect(watch(100)).toBe(100);
  nowMs += 30 * MINUTE_MS;
  expect(watch(100)).toBe(100);
  nowMs += 1;
  expect(watch(100)).toBeUndefined();
  expect(watch(99)).toBeUndefined();
  expect(watch(101)).toBe(101);
  expect(watch(undefined)).toBeUndefined();
});
