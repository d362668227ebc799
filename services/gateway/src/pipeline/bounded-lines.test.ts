import { expect, test } from "@jest/globals";
import { createBoundedLines } from "./bounded-lines.ts";

test("requests without a known key get a bounded number of lines; the next line counts the omitted ones", () => {
  const lines = createBoundedLines();
  const within = Array.from({ length: 15_500 }, () => lines.admit(1_000));
  expect(within.filter((omitted) => omitted === 0)).toHaveLength(50);
  expect(within.filter((omitted) => omitted === undefined)).toHaveLength(15_450);
  expect(lines.admit(1_999)).toBeUndefined();
  expect([lines.admit(2_000), lines.admit(2_000)]).toEqual([15_451, 0]);
});
