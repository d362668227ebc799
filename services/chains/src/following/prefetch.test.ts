import { expect, test } from "@jest/globals";
import { toAddress } from "@pay/values";
import { isAsAsked } from "./prefetch.ts";

const head = { number: 7, hash: "0x77" };
const tokens = new Set([toAddress("0xaa")]);
const tip = { number: 20, block: undefined };
const terms = { head, tip, blocksMax: 5, tokens, withNative: false };

test("what was read ahead counts where it continues the followed block", () => {
  expect(isAsAsked(terms, { head, tokens, withNative: false })).toBe(true);
});

test.each([
  ["another block was followed", { head: { number: 8, hash: "0x88" } }],
  ["the followed block was replaced", { head: { number: 7, hash: "0x99" } }],
  ["a payment in native coin was opened", { withNative: true }],
  ["a token was listed", { tokens: new Set([toAddress("0xaa"), toAddress("0xbb")]) }],
])("what was read ahead does not count when meanwhile %s", (_, change) => {
  expect(isAsAsked(terms, { head, tokens, withNative: false, ...change })).toBe(false);
});

test("what was read ahead for more than is asked for counts", () => {
  const more = {
    ...terms,
    withNative: true,
    tokens: new Set([toAddress("0xaa"), toAddress("0xbb")]),
  };
  expect(isAsAsked(more, { head, tokens, withNative: false })).toBe(true);
});
