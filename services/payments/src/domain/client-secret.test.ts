import { expect, test } from "@jest/globals";
import { clientSecretOf, isClientSecret, parseSecretKeys } from "./client-secret.ts";

const keys = parseSecretKeys(`1:${"a".repeat(32)},2:${"b".repeat(32)}`);
if (keys === undefined) throw new Error("keys must parse");
const payment = { id: "pay_000000000000000000000000", mode: 1, secret_version: 1 };

test("a payment's secret is always the same and opens no other payment", () => {
  const secret = clientSecretOf(payment, keys);
  expect(secret).toMatch(/^cs_live_[0-9A-Za-z]{43}$/);
  expect(isClientSecret(secret, payment, keys)).toBe(true);
  expect(isClientSecret(secret, { ...payment, id: "pay_000000000000000000000001" }, keys)).toBe(
    false,
  );
  expect(isClientSecret(secret, { ...payment, secret_version: 2 }, keys)).toBe(false);
});

test("neither a longer, a shorter nor an empty text passes", () => {
  const secret = clientSecretOf(payment, keys);
  for (const text of ["", secret.slice(0, -1), `${secret}0`]) {
    expect(isClientSecret(text, payment, keys)).toBe(false);
  }
});

test("test payments say so in their secret", () => {
  expect(clientSecretOf({ ...payment, mode: 2 }, keys)).toMatch(/^cs_test_/);
});

test("the newest key signs, and a key too short is no key", () => {
  expect(keys.current).toBe(2);
  expect(parseSecretKeys("1:short")).toBeUndefined();
  expect(parseSecretKeys("a".repeat(40))).toBeUndefined();
});
