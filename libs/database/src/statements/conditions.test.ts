import { expect, test } from "@jest/globals";
import { allOf, anyOf, condition } from "./conditions.ts";

test("conditions become one clause whose parameters follow those of the statement", () => {
  const values: unknown[] = ["first"];
  const text = allOf(
    [
      ...condition("a = ?", 1),
      { text: "(b, c) < (?, ?)", values: [2, 3] },
      ...condition("d = ?", 4),
    ],
    values,
  );
  expect(text).toBe("a = $2 and (b, c) < ($3, $4) and d = $5");
  expect(values).toEqual(["first", 1, 2, 3, 4]);
});

test("an undefined value is no condition, and no condition holds always", () => {
  expect(allOf(condition("a = ?", undefined), [])).toBe("true");
});

test("of alternatives one must hold, so none of them holds never", () => {
  const values: unknown[] = [];
  expect(allOf([anyOf([...condition("a = ?", 1), ...condition("b = ?", 2)])], values)).toBe(
    "(false or a = $1 or b = $2)",
  );
  expect(values).toEqual([1, 2]);
  expect(allOf([anyOf([])], [])).toBe("(false)");
});
