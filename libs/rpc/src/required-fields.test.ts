import { expect, test } from "@jest/globals";
import { parseChain } from "./required-fields.ts";

test("the chain of a request is a number above zero that is exact, or the call is malformed", () => {
  expect(parseChain(137n)).toBe(137);
  for (const id of [0n, -1n, 2n ** 53n + 1n]) {
    expect(() => parseChain(id)).toThrow(expect.objectContaining({ errorCode: "call_malformed" }));
  }
});
