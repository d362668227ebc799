import { describe, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { assigned } from "./change.ts";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const LATER = new Date("2026-01-01T01:00:00Z");
const HASH = `0x${"a".repeat(64)}`;
const OTHER = `0x${"b".repeat(64)}`;

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(NOW), ...change };
}

function codeOf(changed: ReturnType<typeof assigned>) {
  return changed instanceof Failure ? changed.errorCode : changed.kind;
}

describe("a transfer that a merchant assigns", () => {
  test.each(["created", "pending", "processing", "failed"] as const)(
    "is one more hash of the merchant's for a payment that is %s in time",
    (status) => {
      const payment = aPayment({ status, tx_hash: OTHER, attempts: 1, failure_code: "reverted" });
      expect(assigned(payment, HASH, NOW)).toMatchObject({
        ...{ kind: "moved", trigger: "submit" },
        payment: {
          ...{ status: "processing", tx_hash: HASH, merchant_submitted: true, attempts: 2 },
          ...{ late_decision: null, failure_code: null },
          other_hashes: [{ hash: OTHER, by_merchant: false, verdict: "reverted" }],
        },
      });
    },
  );

  test.each(["expired", "failed"] as const)(
    "is accepted without a bound of time once the payment is %s for good",
    (status) => {
      expect(assigned(aPayment({ status, failure_code: "cancelled" }), HASH, LATER)).toMatchObject({
        ...{ kind: "moved", trigger: "acceptLate" },
        payment: {
          ...{ status, tx_hash: HASH, merchant_submitted: true },
          ...{ late_decision: "accepted", failure_code: "late" },
        },
      });
    },
  );

  test("changes nothing when it is assigned again", () => {
    for (const [payment, now] of [
      [aPayment(), NOW],
      [aPayment({ status: "expired" }), LATER],
    ] as const) {
      const once = assigned(payment, HASH, now);
      if (once instanceof Failure || once.kind !== "moved") throw new Error("it is taken");
      expect(assigned(once.payment, HASH, now)).toEqual({ kind: "unchanged" });
    }
    const paid = aPayment({ status: "confirmed", tx_hash: HASH, confirmed_at: NOW });
    expect(assigned(paid, HASH, NOW)).toEqual({ kind: "unchanged" });
  });

  test("cannot pay what is paid, nor be one hash too many", () => {
    const paid = aPayment({ status: "confirmed", tx_hash: OTHER, confirmed_at: NOW });
    expect(codeOf(assigned(paid, HASH, NOW))).toBe("payment_confirmed");
    const refunded = { ...paid, status: "refunded" as const };
    expect(codeOf(assigned(refunded, HASH, NOW))).toBe("payment_status_invalid");
    const tried = aPayment({ status: "failed", tx_hash: OTHER, attempts: 5 });
    expect(codeOf(assigned(tried, HASH, NOW))).toBe("payment_attempts_exhausted");
  });
});
