import { expect, test } from "@jest/globals";
import { parseTxHash } from "./tx-hash.ts";

const HASH = `0x${"ab".repeat(32)}`;

test("all spellings of a hash are one hash", () => {
  expect(parseTxHash(HASH)).toBe(HASH);
  expect(parseTxHash(`0x${"aB".repeat(32)}`)).toBe(HASH);
});

test.each([
  "",
  "0x",
  HASH.slice(2),
  `${HASH}0`,
  HASH.slice(0, -1),
  `${HASH}\n`,
  `0x${"g".repeat(64)}`,
])("%j is no hash", (text) => {
  expect(parseTxHash(text)).toBeUndefined();
});
