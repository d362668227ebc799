import { describe, expect, test } from "@jest/globals";
import { newPayment } from "./new-payment.ts";
import type { Payment } from "./payment.ts";
import { submission } from "./submission.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const LATER = new Date("2026-01-01T01:00:00Z");
const HASH = `0x${"a".repeat(64)}`;
const OTHER = `0x${"b".repeat(64)}`;

const aPayment = (change: Partial<Payment> = {}): Payment => {
  const terms = new Map([[1n, { isTestnet: false, nativeDecimals: 18, tokenDecimals: new Map() }]]);
  const order = {
    id: "pay_000000000000000000000000",
    projectId: "proj_000000000000000000000000",
    mode: 1,
    variant: 1,
    amount: "1.5",
    chainId: 1n,
    currency: "native",
    recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    qrMode: false,
    secretVersion: 1,
  };
  const payment = newPayment(order, terms, NOW);
  if (typeof payment === "string") throw new Error(payment);
  return { ...payment, ...change };
};

test("a first hash moves the payment to processing and counts as an attempt", () => {
  expect(submission(aPayment(), HASH, "0xpayer", NOW)).toMatchObject({
    kind: "moved",
    payment: { status: "processing", tx_hash: HASH, attempts: 1, payer_address: "0xpayer" },
  });
});

test("the same hash again changes nothing", () => {
  for (const status of ["processing", "confirmed", "refunded"] as const) {
    const payment = aPayment({ status, tx_hash: HASH, attempts: 1 });
    expect(submission(payment, HASH, undefined, NOW)).toEqual({ kind: "unchanged" });
  }
});

test("another hash replaces the one being judged, and a failed one may be sent again", () => {
  for (const [status, hash] of [
    ["processing", OTHER],
    ["failed", OTHER],
    ["failed", HASH],
  ] as const) {
    const payment = aPayment({ status, tx_hash: HASH, attempts: 1 });
    expect(submission(payment, hash, undefined, NOW)).toMatchObject({
      kind: "moved",
      payment: { tx_hash: hash, attempts: 2, failure_code: null },
    });
  }
});

describe("refused with", () => {
  test.each<[Partial<Payment>, Date, string]>([
    [{}, LATER, "Payment is expired"],
    [{ status: "expired", tx_hash: HASH }, NOW, "Payment is expired"],
    [{ status: "confirmed", tx_hash: OTHER }, NOW, "Payment is already confirmed"],
    [{ status: "failed", tx_hash: OTHER, attempts: 5 }, NOW, "Payment has used all its attempts"],
    [
      { status: "failed", tx_hash: OTHER, attempts: 1 },
      LATER,
      "Payment is failed; expected created, pending, processing, failed",
    ],
    [
      { status: "refunded", tx_hash: OTHER },
      NOW,
      "Payment is refunded; expected created, pending, processing, failed",
    ],
  ])("%j at %s: %s", (change, now, message) => {
    expect(submission(aPayment(change), HASH, undefined, now)).toEqual({
      kind: "refused",
      message,
    });
  });
});
