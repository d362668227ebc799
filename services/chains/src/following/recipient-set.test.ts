import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { type Address, toAddress } from "@pay/values";
import { createRecipientSet } from "./recipient-set.ts";

function address(n: number): Address {
  return toAddress(`0x${n.toString(16).padStart(40, "0")}`);
}

test("a packed set holds what was added and nothing else, however far it grows", () => {
  const set = createRecipientSet();
  expect(set.has(address(1))).toBe(false);
  for (let n = 0; n < 20_000; n += 2) set.add(address(n));
  for (let n = 0; n < 20_000; n += 2) set.add(address(n));
  expect(set.size).toBe(10_000);
  const wrong = Array.from({ length: 20_000 }, (_, n) => n).filter(
    (n) => set.has(address(n)) !== (n % 2 === 0),
  );
  expect(wrong).toEqual([]);
});

// A merchant chooses the recipients of its payments, so many may be alike.
test.each([0, 1, 2, 3, 4])(
  "recipients that differ in word %i only cost what others cost",
  (word) => {
    const count = 20_000;
    const alike = Array.from({ length: count }, (_, n) => {
      const digits = n.toString(16).padStart(8, "0");
      return toAddress(`0x${"e".repeat(word * 8)}${digits}${"e".repeat((4 - word) * 8)}`);
    });
    const random = Array.from({ length: count }, () =>
      toAddress(`0x${randomBytes(20).toString("hex")}`),
    );
    function measureCost(addresses: readonly Address[]): number {
      const begun = performance.now();
      const set = createRecipientSet();
      for (const one of addresses) set.add(one);
      expect(set.size).toBe(count);
      return performance.now() - begun;
    }

    const usual = Math.max(measureCost(random), measureCost(random));
    const costs = [measureCost(alike), measureCost(alike), measureCost(alike)];
    expect(Math.min(...costs)).toBeLessThan(usual * 10);
  },
);
