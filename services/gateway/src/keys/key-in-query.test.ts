import { expect, test } from "@jest/globals";
import { newSecret } from "@pay/values";
import { kindOfKeyIn } from "./key-in-query.ts";

const PREFIXES = ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "sess_"];

test.each(PREFIXES)("a whole key that begins with %s is found anywhere in a query", (prefix) => {
  const key = newSecret(prefix);
  for (const query of [
    `key=${key}`,
    key,
    `a=1&next=%2F%3Fkey%3D${key}%26b`,
    `${prefix}=1&b=${key}`,
  ]) {
    expect(kindOfKeyIn(query)).toBe(prefix);
  }
});

test.each(PREFIXES)("an order id with %s in it is no key", (prefix) => {
  for (const orderId of [`ta${prefix}1`, prefix, `${prefix}${"a".repeat(42)}`, prefix.repeat(20)]) {
    expect(kindOfKeyIn(`orderId=${orderId}&page=1`)).toBeUndefined();
  }
});
