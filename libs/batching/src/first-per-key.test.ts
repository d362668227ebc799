import { expect, test } from "@jest/globals";
import { firstPerKey } from "./first-per-key.ts";

test("of items with one key the first is kept, in the order of the list", () => {
  const items = [
    { key: "b", nth: 1 },
    { key: "a", nth: 2 },
    { key: "b", nth: 3 },
    { key: "a", nth: 4 },
  ];
  expect(firstPerKey(items, ({ key }) => key).map(({ nth }) => nth)).toEqual([1, 2]);
});

test("items without a key are all kept", () => {
  expect(firstPerKey([1, 2, 3], () => undefined)).toEqual([1, 2, 3]);
});

test("an empty text is a key", () => {
  expect(firstPerKey([1, 2], () => "")).toEqual([1]);
});
