import { expect, test } from "@jest/globals";
import { parsePeppers } from "./pepper.ts";

const A = "a".repeat(32);
const B = "b".repeat(32);

test("the first of a list is the current one, whatever its number", () => {
  expect(parsePeppers(`2:${B}, 1:${A}`)).toEqual([
    { version: 2, secret: B },
    { version: 1, secret: A },
  ]);
  expect(parsePeppers(`1:${A},2:${B}`)?.[0]).toEqual({ version: 1, secret: A });
});

test("a secret without a version is version 1, also with the signs of base64 in it", () => {
  for (const secret of [A, `${A}+/==`, `${A},${B}`, `pepper: ${A}`]) {
    expect(parsePeppers(secret)).toEqual([{ version: 1, secret }]);
  }
});

test.each([
  "",
  "a".repeat(31),
  `1:${"a".repeat(31)}`,
  `1:${A},2:short`,
  `1:${A},${B}`,
  `${A},2:${B}`,
  `2 :${A}`,
  `0:${A}`,
  `1:${A},1:${B}`,
  `1:${A},`,
  [1, 2, 3, 4, 5, 6].map((version) => `${version}:${A}`).join(),
])("%s is no pepper and no list of them", (text) => {
  expect(parsePeppers(text)).toBeUndefined();
});
