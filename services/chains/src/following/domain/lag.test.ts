import { expect, test } from "@jest/globals";
import { computeSecondsBehind } from "./lag.ts";

const NOW = new Date("2026-02-01T12:00:00.000Z");

function before(seconds: number) {
  return new Date(NOW.getTime() - seconds * 1_000);
}

const BLOCK = { number: 100, minedAt: before(600) };

test.each([
  ["a chain at rest is not behind", { number: 100, seenAt: before(0.4) }, 0],
  ["a provider that names an older head does not set it back", { number: 99, seenAt: NOW }, 0],
  ["time counts from the last answer", { number: 100, seenAt: before(90) }, 90],
  ["further blocks make it as old as its last block", { number: 101, seenAt: NOW }, 600],
  ["nothing is known before the first answer", undefined, 600],
  ["an answer from before the block counts no longer", { number: 100, seenAt: before(900) }, 600],
  ["a clock that is ahead makes nothing negative", { number: 100, seenAt: before(-5) }, 0],
])("%s", (_name, tip, seconds) => {
  expect(computeSecondsBehind({ ...BLOCK, tip }, NOW)).toBe(seconds);
});
