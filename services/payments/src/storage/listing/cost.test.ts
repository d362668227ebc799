import { expect, test } from "@jest/globals";
import { estimateCost, estimateCountCost } from "./cost.ts";
import { boundSearch, checkSearched } from "./search.ts";

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

test("a search goes back 30 days unless it says otherwise, and fails where it was not read to its end", () => {
  const search = { statuses: [], amountFrom: "5" };
  const [now, monthAgo] = [new Date("2026-03-31T00:00:00Z"), new Date("2026-03-01T00:00:00Z")];
  expect(boundSearch(search, now)).toEqual({ ...search, createdFrom: monthAgo });
  expect(boundSearch({ ...search, createdTo: now }, new Date())).toMatchObject({
    createdFrom: monthAgo,
  });
  const since = { ...search, createdFrom: new Date(0) };
  expect(boundSearch(since, now)).toBe(since);
  expect(boundSearch(ORDER, now)).toBe(ORDER);
  checkSearched(search, { counted: 100_000n });
  expect(() => checkSearched(search, { counted: 100_001n })).toThrow("must be closer together");
  checkSearched(ORDER, { counted: 100_001n });
});
