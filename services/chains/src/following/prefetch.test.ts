import { expect, test } from "@jest/globals";
import { toAddress } from "@pay/values";
import { isUsable } from "./prefetch.ts";

const head = { number: 7, hash: "0x77" };
const tokens = new Set([toAddress("0xaa")]);
const tip = { number: 20, block: undefined };
const terms = { head, tip, blocksMax: 5, tokens, withNative: false };

test("prefetched blocks count where they continue the followed block", () => {
  expect(isUsable(terms, { head, tokens, withNative: false })).toBe(true);
});

test.each([
  ["another block was followed", { head: { number: 8, hash: "0x88" } }],
  ["the followed block was replaced", { head: { number: 7, hash: "0x99" } }],
  ["a payment in native coin was opened", { withNative: true }],
  ["a token was listed", { tokens: new Set([toAddress("0xaa"), toAddress("0xbb")]) }],
])("prefetched blocks do not count when %s", (_, change) => {
  expect(isUsable(terms, { head, tokens, withNative: false, ...change })).toBe(false);
});

test("prefetched blocks count where they cover more than the step needs", () => {
  const more = {
    ...terms,
    withNative: true,
    tokens: new Set([toAddress("0xaa"), toAddress("0xbb")]),
  };
  expect(isUsable(more, { head, tokens, withNative: false })).toBe(true);
});
