import { expect, test } from "@jest/globals";
import type { Payment } from "./payment.ts";
import { describeFault, isBroken, type Suspects, updateSuspects } from "./proofs.ts";
import { liveThrough } from "./sample-history.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const LATER = new Date("2026-03-01T12:10:00Z");

function aPayment(change: Partial<Payment>): Payment {
  return { ...samplePayment(NOW), ...change };
}

test.each([
  ["", 0n, undefined],
  ["", 5n, "received"],
  ["money final=10", 10n, undefined],
  ["money final=10", 9n, "received"],
  ["money seen=10", 0n, undefined],
  ["money final=4; pass 31m", 4n, undefined],
  ["money final=4; pass 31m", 0n, "received"],
  ["cancel; money lateFinal=10", 10n, undefined],
  ["money final=10; declare", 10n, undefined],
  ["money final=10; declare", 0n, "received"],
])("after %j a payment with %s proven has the fault %s", (facts, proven, fault) => {
  expect(describeFault(liveThrough(facts).payment, proven)).toBe(fault);
});

test("a payment that is paid by its sums and not confirmed has a fault", () => {
  const payment = { ...liveThrough("money final=10").payment, status: "failed" as const };
  expect(describeFault(payment, 10n)).toBe("unconfirmed");
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
