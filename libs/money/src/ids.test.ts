import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isId, newId, newSecret, toBase62 } from "./ids.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("an id has its prefix and 24 letters, and no two are equal", () => {
  const ids = new Set(Array.from({ length: 5_000 }, () => newId("pay")));
  expect(ids.size).toBe(5_000);
  for (const id of ids) expect(id).toMatch(/^pay_[0-9A-Za-z]{24}$/);
});

test("an id is known by its form", () => {
  expect(isId("pay", newId("pay"))).toBe(true);
  expect(isId("pay", newId("refund"))).toBe(false);
  expect(isId("pay", "pay_..%2f..%2fetc%2fpasswd000")).toBe(false);
  expect(isId("pay", `${newId("pay")}0`)).toBe(false);
});

test("every letter of the alphabet is drawn about equally often", () => {
  const counts = new Map<string, number>();
  const text = Array.from({ length: 4_000 }, () => newId("pay").slice(4)).join("");
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  const expected = text.length / 62;
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(expected / 4);
});

test("a secret keeps its prefix and 256 bits", () => {
  expect(newSecret("sk_live_")).toMatch(/^sk_live_[0-9A-Za-z]{43}$/);
});

test("base62 is the number in base 62, most significant digit first", () => {
  expect(toBase62(Uint8Array.of(0, 61), 2)).toBe("0z");
  expect(toBase62(Uint8Array.of(0, 62), 2)).toBe("10");
  const numberOf = (text: string) =>
    [...text].reduce((sum, letter) => sum * 62n + BigInt(DIGITS.indexOf(letter)), 0n);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      expect(numberOf(toBase62(bytes, 43))).toBe(BigInt(`0x${Buffer.from(bytes).toString("hex")}`));
    }),
  );
});
