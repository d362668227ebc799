import { describe, expect, test } from "@jest/globals";
import { liveThrough, toSampleHash } from "./sample-history.ts";

function listNames(facts: string) {
  const { payment } = liveThrough(facts);
  return (payment.hashes ?? []).map(({ hash, at, ...rest }) => ({
    name: Buffer.from(hash.slice(2), "hex").toString().replaceAll("\0", ""),
    ...rest,
  }));
}

test("a payment keeps every hash in its order, and who submitted it", () => {
  expect(listNames("submit a; merchant b; assign c; submit a")).toEqual([
    { name: "a" },
    { name: "b", by_merchant: true },
    { name: "c", by_merchant: true, assigned: true },
  ]);
});

test("the merchant's word on a known hash makes it the last one", () => {
  expect(listNames("submit a; submit b; assign a")).toEqual([
    { name: "b" },
    { name: "a", by_merchant: true, assigned: true },
  ]);
});

test("the hash that is verified is shown, then the one that counts, then the last", () => {
  const shown = [
    ["submit a; submit b", "b"],
    ["submit a; submit b; money b=reverted", "a"],
    ["submit a; submit b; money a=reverted b=reverted", "b"],
    ["submit a; money final=4 a=counted", "found"],
    ["money final=4; submit a", "a"],
    ["money final=4; submit a; pass 91m", "found"],
    ["money final=10; money final=12", "found"],
  ] as const;
  for (const [facts, name] of shown) {
    expect([facts, liveThrough(facts).payment.tx_hash]).toEqual([facts, toSampleHash(name)]);
  }
});

test("five hashes are a customer's, and ten with the merchant's", () => {
  const five = "submit a; submit b; submit c; submit d; submit e";
  expect(liveThrough(`${five}; submit f`).refused).toEqual([
    "submit f: payment_attempts_exhausted",
  ]);
  const ten = `${five}; merchant f; merchant g; merchant h; merchant i; assign j`;
  expect(liveThrough(ten).refused).toEqual([]);
  expect(liveThrough(`${ten}; assign k`).refused).toEqual(["assign k: payment_attempts_exhausted"]);
});

describe("a hash comes too late", () => {
  test.each([
    ["pass 31m; submit a", "payment_expired"],
    ["submit a; pass 31m; submit b", "payment_expired"],
    ["submit a; money a=reverted; pass 31m; submit b", "payment_expired"],
    ["cancel; submit a", "payment_expired"],
    ["money final=10; submit a", "payment_confirmed"],
    ["money final=10; merchant a", "payment_confirmed"],
    ["money final=10; declare; assign a", "payment_status_invalid"],
  ])("%s: %s", (facts, code) => {
    const last = facts.split("; ").at(-1);
    expect(liveThrough(facts).refused).toEqual([`${last}: ${code}`]);
  });

  test.each([
    "pass 31m; merchant a",
    "submit a; pass 91m; merchant b",
    "cancel; assign a",
    "submit a; money a=reverted; pass 31m; assign a",
    "submit a; money final=10 a=counted; submit a",
    "money final=10; submit found",
    "submit a; money final=10 a=counted; declare; merchant a",
  ])("but %s is taken", (facts) => {
    expect(liveThrough(facts).refused).toEqual([]);
  });
});
