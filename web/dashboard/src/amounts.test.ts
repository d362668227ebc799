import { describe, expect, test } from "@jest/globals";
import {
  computeShare,
  findTop,
  formatAmount,
  formatMoved,
  formatShort,
  halve,
  isMore,
  isZero,
  setHidden,
  subtractAmount,
} from "./amounts.ts";

describe("an amount", () => {
  test.each([
    ["0", "0.00"],
    ["1.5", "1.50"],
    ["2913.6", "2,913.60"],
    ["1234567.000000000000000001", "1,234,567.000000000000000001"],
    ["-0.5", "-0.50"],
  ])("%s is shown as %s", (amount, shown) => {
    expect(formatAmount(amount)).toBe(shown);
  });

  test("is hidden where it is only looked at", () => {
    setHidden(true);
    expect([formatAmount("1.5"), formatShort("1.5"), formatMoved("1.5")]).toEqual([
      "•••",
      "•••",
      "1.50",
    ]);
    setHidden(false);
    expect(formatAmount("1.5")).toBe("1.50");
  });

  test.each([
    ["1.5", "0.9", "0.6"],
    ["150", "100.00", "50"],
    ["1", "0.000000000000000001", "0.999999999999999999"],
    ["1", "2", "0"],
  ])("%s less %s is %s", (from, less, rest) => {
    expect(subtractAmount(from, less)).toBe(rest);
  });

  test("is compared by its value", () => {
    expect(isMore("1.50", "1.5")).toBe(false);
    expect(isMore("10", "9.99")).toBe(true);
    expect(isZero("0.000")).toBe(true);
    expect(isZero("0.001")).toBe(false);
  });

  test("has a share of a whole in thousandths", () => {
    expect(computeShare("100", "150")).toBe(666);
    expect(computeShare("1", "0")).toBe(0);
  });

  test.each([
    [["2913.6", "12"], "3000", "1500"],
    [["0.0412", "-7"], "0.05", "0.025"],
    [["10"], "10", "5"],
    [["99"], "100", "50"],
    [["0", "-1"], "1", "0.5"],
    [[], "1", "0.5"],
  ])("the axis of %j ends at %s", (amounts, top, half) => {
    expect(findTop(amounts)).toBe(top);
    expect(halve(top)).toBe(half);
  });
});
