import { expect, test } from "@jest/globals";
import { anyCondition, condition, joinConditions } from "./conditions.ts";

test("conditions become one clause whose parameters follow those of the statement", () => {
  const values: unknown[] = ["first"];
  const text = joinConditions(
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
  expect(joinConditions(condition("a = ?", undefined), [])).toBe("true");
});

test("of alternatives one must hold, so none of them holds never", () => {
  const values: unknown[] = [];
  expect(
    joinConditions([anyCondition([...condition("a = ?", 1), ...condition("b = ?", 2)])], values),
  ).toBe("(false or a = $1 or b = $2)");
  expect(values).toEqual([1, 2]);
  expect(joinConditions([anyCondition([])], [])).toBe("(false)");
});
