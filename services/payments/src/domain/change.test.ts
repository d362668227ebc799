import { describe, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { EXTENSIONS_MAX, toAddress, toTxHash } from "@pay/values";
import { assign, declare, extend } from "./change.ts";
import { asCreated } from "./new-payment.ts";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-11-22T12:00:00.000Z");
const LATER = new Date("2026-11-22T13:00:00.000Z");
const HASH = toTxHash(`0x${"a".repeat(64)}`);
const OTHER = toTxHash(`0x${"b".repeat(64)}`);
const LIFETIME_MS = 30 * 60_000;

function openUntil(payment: Payment): number {
  return payment.expires_at.getTime() - NOW.getTime();
}

function extendPayment(payment: Payment, now = NOW): Payment {
  const changed = extend(payment, now);
  if (changed instanceof Failure || changed.kind === "unchanged") throw changed;
  return changed.payment;
}

test("each extension adds the first time limit, and the response of the creation stays", () => {
  const created = samplePayment(NOW);
  let payment = created;
  for (let times = 1; times <= EXTENSIONS_MAX; times++) {
    payment = extendPayment(payment);
    expect([payment.extensions, openUntil(payment)]).toEqual([times, LIFETIME_MS * (times + 1)]);
    expect(asCreated(payment)).toEqual(created);
  }
  expect(extend(payment, NOW)).toMatchObject({ errorCode: "payment_extensions_exhausted" });
});

test("the last moment is in time, the next one is not", () => {
  const payment = samplePayment(NOW);
  expect(extendPayment(payment, payment.expires_at).extensions).toBe(1);
  const after = new Date(payment.expires_at.getTime() + 1);
  expect(extend(payment, after)).toMatchObject({ errorCode: "payment_expired" });
});

test.each(["processing", "confirmed", "failed", "refunded"] as const)(
  "a payment that is %s gets no more time",
  (status) => {
    const refused = extend({ ...samplePayment(NOW), status }, NOW);
    expect(refused).toMatchObject({ errorCode: "payment_status_invalid" });
  },
);

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(NOW), ...change };
}

function getCode(changed: ReturnType<typeof assign>) {
  return changed instanceof Failure ? changed.errorCode : changed.kind;
}

describe("a transfer that a merchant assigns", () => {
  test.each(["created", "pending", "processing", "failed"] as const)(
    "is one more hash of the merchant's for a payment that is %s in time",
    (status) => {
      const payment = aPayment({ status, tx_hash: OTHER, attempts: 1, failure_code: "reverted" });
      expect(assign(payment, HASH, NOW)).toMatchObject({
        kind: "moved",
        trigger: "submit",
        payment: {
          status: "processing",
          tx_hash: HASH,
          merchant_submitted: true,
          attempts: 2,
          late_decision: null,
          failure_code: null,
          other_hashes: [{ hash: OTHER, by_merchant: false, verdict: "reverted" }],
        },
      });
    },
  );

  test.each(["expired", "failed"] as const)(
    "is accepted without a bound of time once the payment is %s for good",
    (status) => {
      expect(assign(aPayment({ status, failure_code: "cancelled" }), HASH, LATER)).toMatchObject({
        kind: "moved",
        trigger: "acceptLate",
        payment: {
          status,
          tx_hash: HASH,
          merchant_submitted: true,
          late_decision: "accepted",
          failure_code: "late",
        },
      });
    },
  );

  test("changes nothing when it is assigned again", () => {
    for (const [payment, now] of [
      [aPayment(), NOW],
      [aPayment({ status: "expired" }), LATER],
    ] as const) {
      const once = assign(payment, HASH, now);
      if (once instanceof Failure || once.kind !== "moved") throw new Error("it is taken");
      expect(assign(once.payment, HASH, now)).toEqual({ kind: "unchanged" });
    }
    const paid = aPayment({ status: "confirmed", tx_hash: HASH, confirmed_at: NOW });
    expect(assign(paid, HASH, NOW)).toEqual({ kind: "unchanged" });
    const beside = { hash: HASH, by_merchant: true, verdict: null };
    const twice = aPayment({ status: "processing", tx_hash: OTHER, other_hashes: [beside] });
    expect(assign(twice, HASH, NOW)).toEqual({ kind: "unchanged" });
  });

  test("cannot pay what is paid, nor be one hash too many", () => {
    const paid = aPayment({ status: "confirmed", tx_hash: OTHER, confirmed_at: NOW });
    expect(getCode(assign(paid, HASH, NOW))).toBe("payment_confirmed");
    const refunded = { ...paid, status: "refunded" as const };
    expect(getCode(assign(refunded, HASH, NOW))).toBe("payment_status_invalid");
    const tried = aPayment({ status: "failed", tx_hash: OTHER, attempts: 5 });
    expect(getCode(assign(tried, HASH, NOW))).toBe("payment_attempts_exhausted");
    const found = aPayment({ status: "processing", tx_hash: HASH, attempts: 5 });
    expect(assign(found, HASH, NOW)).toMatchObject({
      payment: { merchant_submitted: true, attempts: 5 },
    });
  });
});

describe("a wallet that signs for a claim that is held", () => {
  const WALLET = toAddress("0xwallet");
  const held = aPayment({ status: "processing", tx_hash: HASH, needs: "payer_signature" });
  function sign(change: Partial<Payment> = {}, isSigned = true) {
    return declare({ ...held, ...change }, { payer: WALLET, isSigned }, LATER);
  }

  test("is its payer from then on, also after the time limit, and nothing is needed any more", () => {
    for (const change of [{}, { seen_sender: WALLET }, { payer_address: WALLET }]) {
      expect(sign(change)).toMatchObject({
        kind: "moved",
        trigger: "signPayer",
        payment: {
          status: "processing",
          payer_address: WALLET,
          needs: null,
          payer_signed_at: LATER,
          payer_declared_at: LATER,
        },
      });
    }
  });

  test.each<[string, Partial<Payment>, boolean]>([
    ["is another one than the declared one", { payer_address: "0xother" }, true],
    ["has not sent the transaction", { seen_sender: "0xother" }, true],
    ["only says so", {}, false],
    ["is asked for nothing", { needs: null }, true],
    ["is asked to wait for a review", { needs: "review" }, true],
  ])("is refused where it %s", (_, change, isSigned) => {
    expect(getCode(sign(change, isSigned))).toBe("payer_fixed");
  });

  test("changes nothing when it signs again", () => {
    const signed = { payer_address: WALLET, payer_signed_at: NOW, needs: null };
    expect(sign(signed)).toEqual({ kind: "unchanged" });
  });
});
