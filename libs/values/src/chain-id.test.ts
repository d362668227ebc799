import { expect, test } from "@jest/globals";
import { parseChainId, toChainId } from "./chain-id.ts";

test("a chain of a message or a row is a whole number above zero that is exact", () => {
  expect([toChainId(1n), toChainId("8453"), toChainId(137)]).toEqual([1, 8453, 137]);
  for (const id of [0n, -1n, 2n ** 53n, "", "base", 1.5, Number.NaN]) {
    expect(() => toChainId(id)).toThrow("no number of a chain");
  }
});

test("an operator names a chain by its number alone", () => {
  expect(["1", "8453", "9007199254740991"].map(parseChainId)).toEqual([1, 8453, 2 ** 53 - 1]);
  for (const text of ["", "0", "-1", "01", "1.0", "1e3", "0x1", " 1", "base", "9007199254740993"]) {
    expect(parseChainId(text)).toBeUndefined();
  }
});
