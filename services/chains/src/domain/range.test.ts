import { expect, test } from "@jest/globals";
import { createRange } from "./range.ts";

test("a range grows with each success up to its bound", () => {
  const range = createRange(200);
  const sizes = [range.size];
  for (let i = 0; i < 4; i++) {
    range.succeeded();
    sizes.push(range.size);
  }
  expect(sizes).toEqual([100, 125, 157, 197, 200]);
});

test("a refused range halves, and takes a proposal only if that is smaller", () => {
  const range = createRange();
  range.refused(undefined);
  expect(range.size).toBe(50);
  range.refused(50);
  expect(range.size).toBe(25);
  range.refused(10);
  expect(range.size).toBe(10);
});

test("a provider that refuses one block cannot answer, so shrinking ends", () => {
  const range = createRange();
  let tries = 0;
  while (range.refused(1_000)) tries++;
  expect(range.size).toBe(1);
  expect(tries).toBeLessThan(10);
});
