import { expect, test } from "@jest/globals";
import { chainIdOf } from "./chain-id.ts";

test("a chain of a message or a row is a whole number above zero that is exact", () => {
  expect([chainIdOf(1n), chainIdOf("8453"), chainIdOf(137)]).toEqual([1, 8453, 137]);
  for (const id of [0n, -1n, 2n ** 53n, "", "base", 1.5, Number.NaN]) {
    expect(() => chainIdOf(id)).toThrow("no number of a chain");
  }
});
