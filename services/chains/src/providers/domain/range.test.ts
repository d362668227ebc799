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

test("a range that was not used whole does not grow", () => {
  const range = createRange();
  range.succeeded({ blocks: 99, results: 0 });
  expect(range.size).toBe(100);
});

test("a range becomes as narrow as many results make it", () => {
  const range = createRange();
  range.succeeded({ blocks: 100, results: 20_000 });
  expect(range.size).toBe(50);
  range.succeeded({ blocks: 1, results: 20_000 });
  expect(range.size).toBe(1);
});

test("what was refused is not asked again for a while", () => {
  const range = createRange();
  range.refused(80);
  for (let nth = 0; nth < 100; nth++) range.succeeded();
  expect(range.size).toBe(80);
  range.succeeded();
  expect(range.size).toBe(100);
  range.refused();
  for (let nth = 0; nth < 10; nth++) range.succeeded();
  expect(range.size).toBe(99);
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
