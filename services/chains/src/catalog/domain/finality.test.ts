import { expect, test } from "@jest/globals";
import { toAmount } from "@pay/values";
import { delayUntilSettledMs, delayWhileMissingMs } from "../../verification/domain/schedule.ts";
import { type FinalityPolicy, isSettled } from "./finality.ts";

const small = { baseAmount: toAmount(5_000_000n), decimals: 6 };
const large = { baseAmount: toAmount(10_000_000_000n), decimals: 6 };
function at(head: number, tags: { safe?: number; finalized?: number } = {}) {
  return { head, safe: tags.safe, finalized: tags.finalized };
}

function depth(confirmations: number, highValueUnits?: bigint): FinalityPolicy {
  return { mode: "confirmations", confirmations, highValueUnits };
}

test("the transaction's own block is its first confirmation", () => {
  expect(isSettled(100, at(100), depth(1), small)).toBe(true);
  expect(isSettled(100, at(110), depth(12), small)).toBe(false);
  expect(isSettled(100, at(111), depth(12), small)).toBe(true);
});

test("a provider behind the transaction's block settles nothing", () => {
  expect(isSettled(100, at(90), depth(2), small)).toBe(false);
});

test("a tag settles what is under it; a depth replaces it only where there is no tag", () => {
  const policy: FinalityPolicy = { mode: "finalized", confirmations: 200 };
  expect(isSettled(100, at(110, { finalized: 99 }), policy, small)).toBe(false);
  expect(isSettled(100, at(110, { finalized: 100 }), policy, small)).toBe(true);
  expect(isSettled(100, at(110, { safe: 105 }), policy, small)).toBe(false);
  expect(isSettled(100, at(299, { finalized: 7 }), policy, small)).toBe(false);
  expect(isSettled(100, at(299), policy, small)).toBe(true);
  expect(isSettled(100, at(298), policy, small)).toBe(false);
});

test("a high value waits for finality, whatever the depth asks", () => {
  expect(isSettled(100, at(130, { finalized: 99 }), depth(12, 10_000n), small)).toBe(true);
  expect(isSettled(100, at(1_000, { finalized: 99 }), depth(12, 10_000n), large)).toBe(false);
  expect(isSettled(100, at(130, { finalized: 100 }), depth(12, 10_000n), large)).toBe(true);
  // A chain without the tag: only depth can tell.
  expect(isSettled(100, at(130), depth(12, 10_000n), large)).toBe(false);
  expect(isSettled(100, at(163), depth(12, 10_000n), large)).toBe(true);
});

test("an unknown hash is looked for after 1, 2, 4 … 30 seconds", () => {
  expect([0, 1, 2, 3, 4, 5, 50].map(delayWhileMissingMs)).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
});

test("a known one is looked at when its last block is due, and every half minute", () => {
  const seen = { blockNumber: 100, head: 100 };
  expect(delayUntilSettledMs(seen, depth(12), 12_000)).toBe(30_000);
  expect(delayUntilSettledMs({ ...seen, head: 110 }, depth(12), 12_000)).toBe(12_000);
  expect(delayUntilSettledMs(seen, depth(3), 2_000)).toBe(4_000);
  expect(delayUntilSettledMs(seen, depth(2), 100)).toBe(250);
});
