import { expect, test } from "@jest/globals";
import { chainOf } from "./chain.ts";

test("the chain of a request is a number above zero that is exact, or the call is malformed", () => {
  expect(chainOf(137n)).toBe(137);
  for (const id of [0n, -1n, 2n ** 53n + 1n]) {
    expect(() => chainOf(id)).toThrow(expect.objectContaining({ errorCode: "call_malformed" }));
  }
});
