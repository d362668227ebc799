import { describe, expect, test } from "@jest/globals";
import { Failure, type FailureCode } from "@pay/failures";
import { toAddress, toTxHash } from "@pay/values";
import { applySubmission as submit } from "./apply-submission.ts";
import type { Payment } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const LATER = new Date("2026-01-01T01:00:00Z");
const HASH = toTxHash(`0x${"a".repeat(64)}`);
const OTHER = toTxHash(`0x${"b".repeat(64)}`);

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(NOW), ...change };
}

function applySubmission(payment: Payment, txHash: string, payer: string | undefined, now: Date) {
  const address = payer === undefined ? undefined : toAddress(payer);
  return submit(payment, { txHash: toTxHash(txHash), payer: address, byMerchant: false }, now);
}

test("a first hash moves the payment to processing and counts as an attempt", () => {
  expect(applySubmission(aPayment(), HASH, "0xpayer", NOW)).toMatchObject({
    kind: "moved",
    payment: { status: "processing", tx_hash: HASH, attempts: 1, payer_address: "0xpayer" },
  });
});

test("the same hash again changes nothing", () => {
  for (const status of ["processing", "confirmed", "refunded"] as const) {
    const confirmed_at = status === "processing" ? null : NOW;
    const payment = aPayment({ status, tx_hash: HASH, attempts: 1, confirmed_at });
    expect(applySubmission(payment, HASH, undefined, NOW)).toEqual({ kind: "unchanged" });
  }
});

test("another hash replaces the one being verified, and a failed one may be submitted again", () => {
  for (const [status, hash] of [
    ["processing", OTHER],
    ["failed", OTHER],
    ["failed", HASH],
  ] as const) {
    const payment = aPayment({ status, tx_hash: HASH, attempts: 1 });
    expect(applySubmission(payment, hash, undefined, NOW)).toMatchObject({
      kind: "moved",
      payment: { tx_hash: hash, attempts: 2, failure_code: null },
    });
  }
});

test("a payment keeps every hash it was given, and who gave it", () => {
  const first = submit(aPayment(), { txHash: HASH, payer: undefined, byMerchant: true }, NOW);
  if (first instanceof Failure || first.kind !== "moved") throw new Error("a first hash is taken");
  expect(first.payment).toMatchObject({ merchant_submitted: true, other_hashes: null });
  const second = applySubmission(first.payment, OTHER, undefined, NOW);
  expect(second).toMatchObject({
    payment: {
      tx_hash: OTHER,
      merchant_submitted: false,
      other_hashes: [{ hash: HASH, by_merchant: true, verdict: null }],
    },
  });
});

test("a pending hash changes nothing when repeated, and a rejected one is verified again", () => {
  const other = { hash: HASH, by_merchant: false, verdict: null };
  const payment = aPayment({ status: "processing", tx_hash: OTHER, attempts: 2 });
  const awaited = { ...payment, other_hashes: [other] };
  expect(applySubmission(awaited, HASH, undefined, NOW)).toEqual({ kind: "unchanged" });
  const refuted = { ...payment, other_hashes: [{ ...other, verdict: "underpaid" }] };
  expect(applySubmission(refuted, HASH, undefined, NOW)).toMatchObject({
    kind: "moved",
    payment: { tx_hash: HASH, attempts: 3, other_hashes: [{ hash: OTHER, verdict: null }] },
  });
});

describe("a hash that the customer has submitted and that is being verified", () => {
  const by = { payer: undefined, byMerchant: true };
  const found = aPayment({
    status: "processing",
    tx_hash: HASH,
    attempts: 5,
    needs: "payer_signature",
  });

  test("is the merchant's once the merchant submits it, without an attempt and after the time limit", () => {
    for (const now of [NOW, LATER]) {
      const named = submit(found, { txHash: HASH, ...by }, now);
      if (named instanceof Failure || named.kind !== "moved") throw new Error("it is taken");
      expect(named.payment).toMatchObject({
        status: "processing",
        tx_hash: HASH,
        merchant_submitted: true,
        attempts: 5,
        other_hashes: null,
        version: found.version + 1,
      });
      expect(submit(named.payment, { txHash: HASH, ...by }, now)).toEqual({ kind: "unchanged" });
      expect(applySubmission(named.payment, HASH, undefined, now)).toEqual({ kind: "unchanged" });
    }
  });

  test("stays in its block, so that its payment does not expire", () => {
    const mined = { ...found, needs: null, block_number: 7n };
    expect(submit(mined, { txHash: HASH, ...by }, LATER)).toMatchObject({
      payment: { tx_hash: HASH, block_number: 7n },
    });
    expect(submit({ ...mined, attempts: 1 }, { txHash: OTHER, ...by }, NOW)).toMatchObject({
      payment: { tx_hash: OTHER, block_number: null },
    });
  });

  test("becomes the present one where it is beside another", () => {
    const other = { hash: HASH, by_merchant: false, verdict: null };
    const beside = { ...found, tx_hash: OTHER, other_hashes: [other] };
    expect(submit(beside, { txHash: HASH, ...by }, NOW)).toMatchObject({
      payment: {
        tx_hash: HASH,
        merchant_submitted: true,
        other_hashes: [{ hash: OTHER, by_merchant: false, verdict: null }],
      },
    });
  });
});

test("a failed hash stays known with its verdict when another one follows", () => {
  const failed = aPayment({
    status: "failed",
    tx_hash: HASH,
    failure_code: "underpaid",
    attempts: 1,
  });
  expect(applySubmission(failed, OTHER, undefined, NOW)).toMatchObject({
    payment: { tx_hash: OTHER, other_hashes: [{ hash: HASH, verdict: "underpaid" }] },
  });
});

test("a payer is declared with a time, which a repetition does not change", () => {
  const first = applySubmission(aPayment(), HASH, "0xpayer", NOW);
  if (first instanceof Failure || first.kind !== "moved") throw new Error("a first hash is taken");
  expect(first.payment.payer_declared_at).toEqual(NOW);
  const again = applySubmission(first.payment, OTHER, "0xpayer", new Date(NOW.getTime() + 1));
  expect(again).toMatchObject({ payment: { payer_declared_at: NOW } });
});

test("while a hash is being verified no other payer can be declared, and after it failed one can", () => {
  const named = { tx_hash: HASH, attempts: 1, payer_address: "0xpayer" };
  for (const payment of [
    aPayment({ ...named, status: "processing" }),
    aPayment({ ...named, status: "processing", payer_address: null }),
  ]) {
    for (const hash of [HASH, OTHER]) {
      expect(applySubmission(payment, hash, "0xother", NOW)).toMatchObject({
        errorCode: "payer_fixed",
        message: "payerAddress cannot be changed while a transaction is being verified",
      });
    }
  }
  const failed = aPayment({ ...named, status: "failed", failure_code: "reverted" });
  expect(applySubmission(failed, OTHER, "0xother", NOW)).toMatchObject({
    payment: { payer_address: "0xother", payer_declared_at: NOW },
  });
});

test("a repetition of what a confirmed payment was given is no conflict", () => {
  const other = { hash: OTHER, by_merchant: false, verdict: null };
  const confirmed = aPayment({
    status: "confirmed",
    tx_hash: HASH,
    confirmed_at: NOW,
    other_hashes: [other],
  });
  expect(applySubmission(confirmed, OTHER, "0xother", NOW)).toEqual({ kind: "unchanged" });
});

describe("refused with", () => {
  test.each<[Partial<Payment>, Date, FailureCode, string]>([
    [{}, LATER, "payment_expired", "Payment is expired"],
    [{ status: "expired", tx_hash: HASH }, NOW, "payment_expired", "Payment is expired"],
    [
      { status: "confirmed", tx_hash: OTHER },
      NOW,
      "payment_confirmed",
      "Payment is already confirmed",
    ],
    [
      { status: "failed", tx_hash: OTHER, attempts: 5 },
      NOW,
      "payment_attempts_exhausted",
      "Payment has used all its attempts",
    ],
    [
      { status: "failed", tx_hash: OTHER, attempts: 1 },
      LATER,
      "payment_status_invalid",
      "Payment is failed; expected created, pending, processing, failed",
    ],
    [
      { status: "refunded", tx_hash: OTHER },
      NOW,
      "payment_status_invalid",
      "Payment is refunded; expected created, pending, processing, failed",
    ],
  ])("%j at %s: %s, %s", (change, now, code, message) => {
    expect(applySubmission(aPayment(change), HASH, undefined, now)).toMatchObject({
      errorCode: code,
      message,
    });
  });
});
