import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  sumAmounts,
  toAmount,
  toBaseUnits,
  toDecimal,
  toSignedDecimal,
  ZERO_AMOUNT,
} from "./amount.ts";

describe("base units", () => {
  test.each([
    ["1", 6, 1_000_000n],
    ["0.000001", 6, 1n],
    ["12.5", 18, 12_500_000_000_000_000_000n],
    ["0", 18, 0n],
    ["5", 0, 5n],
  ])("%s with %i decimals is %s", (amount, decimals, base) => {
    expect(toBaseUnits(amount, decimals)).toBe(base);
  });

  test.each([
    "-1",
    "+1",
    "01",
    "1.",
    ".5",
    "1e3",
    " 1",
    "1 ",
    "0x10",
    "NaN",
    "Infinity",
    "١",
    "1,5",
    "",
    "1.5.5",
    "1\n",
  ])("%j is no amount", (amount) => {
    expect(toBaseUnits(amount, 18)).toBeUndefined();
  });

  test("an amount finer than its currency is refused, never rounded", () => {
    expect(toBaseUnits("0.0000001", 6)).toBeUndefined();
  });

  test("an amount beyond a uint256 is refused", () => {
    expect(toBaseUnits(toDecimal(toAmount(2n ** 256n - 1n), 36), 36)).toBe(2n ** 256n - 1n);
    expect(toBaseUnits(toDecimal(toAmount(2n ** 256n), 36), 36)).toBeUndefined();
  });

  test("a message or a row has a whole number that is not negative, or it is refused", () => {
    expect(toAmount("12")).toBe(12n);
    expect(toAmount(0n)).toBe(0n);
    // BigInt would read nothing as 0, and the next ones as numbers.
    for (const text of ["", " ", "0x10", "-1", "1.5", "1\n"]) {
      expect(() => toAmount(text)).toThrow("no amount");
    }
    expect(() => toAmount(-1n)).toThrow("never negative");
  });

  test("a sum of amounts is an amount", () => {
    expect(sumAmounts([])).toBe(ZERO_AMOUNT);
    expect(sumAmounts([toAmount(1n), toAmount("2"), toAmount(3n)])).toBe(6n);
  });

  test("a sum that may be negative has its sign before the same digits", () => {
    expect([-1_500n, 0n, 1_500n].map((base) => toSignedDecimal(base, 3))).toEqual([
      "-1.5",
      "0",
      "1.5",
    ]);
  });

  test("every amount of base units survives the way to decimals and back", () => {
    const bases = fc.bigInt({ min: 0n, max: 2n ** 190n });
    fc.assert(
      fc.property(bases, fc.integer({ min: 0, max: 36 }), (base, decimals) => {
        expect(toBaseUnits(toDecimal(toAmount(base), decimals), decimals)).toBe(base);
      }),
    );
  });
});
