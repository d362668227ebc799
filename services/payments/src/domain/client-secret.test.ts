import { expect, test } from "@jest/globals";
import {
  deriveClientSecret,
  hasOutlived,
  isClientSecret,
  parseSecretKeys,
} from "./client-secret.ts";

const keys = parseSecretKeys(`1:${"a".repeat(32)},2:${"b".repeat(32)}`);
if (keys === undefined) throw new Error("keys must parse");
const payment = { id: "pay_000000000000000000000000", mode: 1, secret_version: 1 };

test("a payment's secret is always the same and opens no other payment", () => {
  const secret = deriveClientSecret(payment, keys) ?? "";
  expect(secret).toMatch(/^cs_live_[0-9A-Za-z]{43}$/);
  expect(isClientSecret(secret, payment, keys)).toBe(true);
  expect(isClientSecret(secret, { ...payment, id: "pay_000000000000000000000001" }, keys)).toBe(
    false,
  );
  expect(isClientSecret(secret, { ...payment, secret_version: 2 }, keys)).toBe(false);
});

test("nothing opens a payment whose key is gone", () => {
  const old = { ...payment, secret_version: 3 };
  expect(deriveClientSecret(old, keys)).toBeUndefined();
  for (const text of ["", "undefined", deriveClientSecret(payment, keys) ?? ""]) {
    expect(isClientSecret(text, old, keys)).toBe(false);
  }
});

test("neither a longer, a shorter nor an empty text passes", () => {
  const secret = deriveClientSecret(payment, keys) ?? "";
  for (const text of ["", secret.slice(0, -1), `${secret}0`]) {
    expect(isClientSecret(text, payment, keys)).toBe(false);
  }
});

test("test payments say so in their secret", () => {
  expect(deriveClientSecret({ ...payment, mode: 2 }, keys)).toMatch(/^cs_test_/);
});

const [OLD, NEW] = [`1:${"a".repeat(32)}`, `2:${"b".repeat(32)}`];

test("while a key comes into use, replicas accept the secrets of each other at each step", () => {
  const steps = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`].map(parseSecretKeys);
  expect(steps.map((step) => step?.current)).toEqual([1, 1, 2]);
  for (const [at, step] of steps.slice(1).entries()) {
    for (const [one, other] of [
      [steps[at], step],
      [step, steps[at]],
    ] as const) {
      if (one === undefined || other === undefined) throw new Error("keys must parse");
      const made = { ...payment, secret_version: one.current };
      expect(isClientSecret(deriveClientSecret(made, one) ?? "", made, other)).toBe(true);
    }
  }
});

test.each(["1:short", "a".repeat(40), `${OLD},1:${"c".repeat(32)}`, `${OLD},`])(
  "%p is no list of keys",
  (text) => {
    expect(parseSecretKeys(text)).toBeUndefined();
  },
);

const EXPIRES_AT = new Date("2026-01-01T12:30:00Z");
const CONFIRMED_AT = new Date("2026-01-01T12:10:00Z");
const DAY_MS = 24 * 60 * 60_000;
const open = { expires_at: EXPIRES_AT, confirmed_at: null, refunded_at: null };
const paid = { ...open, confirmed_at: CONFIRMED_AT };

test.each([
  ["expired", open, EXPIRES_AT],
  ["failed", open, EXPIRES_AT],
  ["created", open, EXPIRES_AT],
  ["confirmed", paid, CONFIRMED_AT],
  // A refund much later does not make it valid again.
  ["refunded", { ...paid, refunded_at: new Date("2026-01-09T12:00:00Z") }, CONFIRMED_AT],
] as const)(
  "a secret outlives the end of a payment that is %s by 24 hours",
  (status, times, end) => {
    function at(ms: number) {
      return hasOutlived({ status, ...times }, new Date(end.getTime() + ms));
    }

    expect([at(0), at(DAY_MS - 1), at(DAY_MS)]).toEqual([false, false, true]);
  },
);

test("while a transaction is being verified the secret works, however long that takes", () => {
  const later = new Date(EXPIRES_AT.getTime() + 7 * DAY_MS);
  expect(hasOutlived({ status: "processing", ...open }, later)).toBe(false);
});
