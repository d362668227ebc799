import { expect, test } from "@jest/globals";
import { isKnownPooler, readAddress } from "./address.ts";

const DIRECT = "postgres://shop:s3%40cret@db:5432/shop?sslmode=verify-full";

test("an address without a pooler reaches the driver as it is", () => {
  expect(readAddress(DIRECT)).toEqual({ url: DIRECT, isPooled: false });
});

test("the driver does not see the word for a pooler", () => {
  expect(readAddress(`${DIRECT}&pooler=transaction`)).toEqual({ url: DIRECT, isPooled: true });
});

test("an unknown pooler is refused", () => {
  expect(isKnownPooler(`${DIRECT}&pooler=transaction`)).toBe(true);
  expect(isKnownPooler(DIRECT)).toBe(true);
  expect(isKnownPooler(`${DIRECT}&pooler=statement`)).toBe(false);
});
