import { expect, test } from "@jest/globals";
import { toAmount } from "@pay/values";
import type { Payment } from "./payment.ts";
import { describeFault, isBroken, type Suspects, updateSuspects } from "./proofs.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const LATER = new Date("2026-03-01T12:10:00Z");

const FIVE = toAmount(5n);

function aPayment(change: Partial<Payment>): Payment {
  return { ...samplePayment(NOW), ...change };
}

test.each([
  ["confirmed", FIVE, 5n, undefined],
  ["refunded", FIVE, 5n, undefined],
  ["confirmed", FIVE, 4n, "received"],
  ["refunded", FIVE, undefined, "received"],
  ["failed", FIVE, undefined, undefined],
  ["failed", null, 5n, "unconfirmed"],
  ["processing", null, 5n, "unconfirmed"],
  ["expired", null, 5n, "unconfirmed"],
] as const)(
  "a payment that is %s and received %s, proven %s, has the fault %s",
  (status, received, proven, fault) => {
    expect(describeFault(aPayment({ status, received_base_amount: received }), proven)).toBe(fault);
  },
);

test("a cancelled payment may be proven without being confirmed", () => {
  const cancelled = aPayment({ status: "expired", failure_code: "cancelled" });
  expect(describeFault(cancelled, 5n)).toBeUndefined();
});

test("a payment is broken once the same fault has lasted, and not while it is right in between", () => {
  const payment = aPayment({ status: "failed" });
  function after(before: Suspects, fault: "received" | "unconfirmed" | undefined, now: Date) {
    const found = updateSuspects(before, [{ payment, fault }], now);
    return { found, broken: [...found.values()].map((one) => isBroken(one, now)) };
  }

  const first = after(new Map(), "unconfirmed", NOW);
  expect(first.broken).toEqual([false]);
  expect(after(first.found, "unconfirmed", LATER).broken).toEqual([true]);
  expect(after(first.found, "received", LATER).broken).toEqual([false]);
  const right = after(first.found, undefined, LATER);
  expect(right.broken).toEqual([]);
  expect(after(right.found, "unconfirmed", LATER).broken).toEqual([false]);
});
