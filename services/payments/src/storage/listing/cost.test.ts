import { expect, test } from "@jest/globals";
import { estimateCost, estimateCountCost } from "./cost.ts";

const ALL = { statuses: [] };
const ORDER = { statuses: [], orderId: "subscription" };

test("a small page costs its rows, and a large or far one costs more", () => {
  expect(estimateCost(ALL, { limit: 20, offset: 0 })).toBe(20);
  expect(estimateCost(ALL, { limit: 100, offset: 0 })).toBe(180);
  const far = estimateCost(ALL, { limit: 100, offset: 99_900 });
  expect(far).toBe(280);
  expect(estimateCost(ALL, { limit: 100, offset: 1_000 })).toBe(far);
});

test("rows that are skipped or counted one by one have their cost", () => {
  expect(estimateCost(ORDER, { limit: 100, offset: 99_900 })).toBe(180 + 99_900 / 50);
  expect(estimateCountCost(ORDER, { total: 10_000n, counted: 0n })).toBe(200);
  expect(estimateCountCost(ALL, { total: 1_000_000n, counted: 0n })).toBe(0);
  expect(estimateCountCost(ALL, { total: 1_000_000n, counted: 20_000n })).toBe(400);
});
