import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { EXTENSIONS_MAX } from "@pay/values";
import { extended } from "./change.ts";
import { asCreated } from "./new-payment.ts";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-11-22T12:00:00.000Z");
const LIFETIME_MS = 30 * 60_000;

function openUntil(payment: Payment): number {
  return payment.expires_at.getTime() - NOW.getTime();
}

function extend(payment: Payment, now = NOW): Payment {
  const changed = extended(payment, now);
  if (changed instanceof Failure || changed.kind === "unchanged") throw changed;
  return changed.payment;
}

test("each extension adds the first lifetime, and the creation is answered as it was", () => {
  const created = samplePayment(NOW);
  let payment = created;
  for (let times = 1; times <= EXTENSIONS_MAX; times++) {
    payment = extend(payment);
    expect([payment.extensions, openUntil(payment)]).toEqual([times, LIFETIME_MS * (times + 1)]);
    expect(asCreated(payment)).toEqual(created);
  }
  expect(extended(payment, NOW)).toMatchObject({ errorCode: "payment_extensions_exhausted" });
});

test("the last moment is in time, the next one is not", () => {
  const payment = samplePayment(NOW);
  expect(extend(payment, payment.expires_at).extensions).toBe(1);
  const after = new Date(payment.expires_at.getTime() + 1);
  expect(extended(payment, after)).toMatchObject({ errorCode: "payment_expired" });
});

test.each(["processing", "confirmed", "failed", "refunded"] as const)(
  "a payment that is %s gets no more time",
  (status) => {
    const refused = extended({ ...samplePayment(NOW), status }, NOW);
    expect(refused).toMatchObject({ errorCode: "payment_status_invalid" });
  },
);
