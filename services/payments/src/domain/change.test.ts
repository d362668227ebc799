import { describe, expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { EXTENSIONS_MAX, toAddress } from "@pay/values";
import { declare, extend } from "./change.ts";
import { asCreated } from "./new-payment.ts";
import type { Payment } from "./payment.ts";
import { beginHistory, liveThrough } from "./sample-history.ts";
import { samplePayment } from "./sample-payment.ts";

const NOW = new Date("2026-11-22T12:00:00.000Z");
const LATER = new Date("2026-11-22T13:00:00.000Z");
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

const WALLET = toAddress(`0x${"a".repeat(40)}`);
const OTHER = toAddress(`0x${"b".repeat(40)}`);

function aPayment(change: Partial<Payment> = {}): Payment {
  return { ...samplePayment(NOW), ...change };
}

function facts(history: string): Partial<Payment> {
  return liveThrough(history, { ...beginHistory(), payment: aPayment(), now: NOW }).payment;
}

function tryDeclare(change: Partial<Payment>, isSigned: boolean, now = NOW) {
  const changed = declare(aPayment(change), { payer: WALLET, isSigned }, now);
  return changed instanceof Failure ? changed.errorCode : changed.kind;
}

describe("a payer that is only declared", () => {
  test("is a note that may change while the payment is open", () => {
    for (const change of [{}, { payer_address: OTHER }, facts("submit a")]) {
      expect(tryDeclare(change, false)).toBe("moved");
    }
    expect(tryDeclare({ payer_address: WALLET }, false)).toBe("unchanged");
  });

  test("does not replace a wallet that has signed, and comes no later than the time limit", () => {
    expect(tryDeclare({ payer_address: OTHER, payer_signed_at: NOW }, false)).toBe("payer_fixed");
    expect(tryDeclare({}, false, LATER)).toBe("payment_expired");
    expect(tryDeclare({ status: "expired" }, false)).toBe("payment_expired");
  });
});

describe("a payer that signs", () => {
  const arrived = [{ base_amount: "1", at: 0, tx_hash: "0x", sender_address: OTHER }];

  test.each(["", "submit a", "submit a; money a=reverted", "pass 31m", "cancel"])(
    "does so at any time after %j, and another signature replaces it",
    (history) => {
      const change = facts(history);
      expect(tryDeclare(change, true, LATER)).toBe("moved");
      expect(tryDeclare({ ...change, payer_address: WALLET }, true, LATER)).toBe("moved");
      const signed = { ...change, payer_signed_at: NOW };
      expect(tryDeclare({ ...signed, payer_address: OTHER }, true, LATER)).toBe("moved");
      expect(tryDeclare({ ...signed, payer_address: WALLET }, true, LATER)).toBe("unchanged");
    },
  );

  test.each<[string, Partial<Payment>, string]>([
    ["the payment is confirmed", { status: "confirmed" }, "payment_status_invalid"],
    ["the payment is refunded", { status: "refunded" }, "payment_status_invalid"],
    [
      "another wallet has signed and paid",
      {
        payer_address: OTHER,
        payer_signed_at: NOW,
        received_base_amount: samplePayment(NOW).base_amount,
      },
      "payer_fixed",
    ],
    ["another wallet sent what needs it", { needs: "payer_signature", arrived }, "payer_fixed"],
  ])("is refused where %s", (_, change, code) => {
    expect(tryDeclare(change, true)).toBe(code);
  });
});

test.each([
  ["submit a; cancel", "cancel: payment_status_invalid"],
  ["money final=10; cancel", "cancel: payment_status_invalid"],
  ["accept", "accept: late_transfer_missing"],
  ["pass 31m; accept", "accept: late_transfer_missing"],
  ["pass 31m; reject", "reject: late_transfer_missing"],
  ["money final=4; reject", "reject: payment_status_invalid"],
  ["submit a; money seen=10; accept", "accept: payment_status_invalid"],
  ["money final=10; accept", "accept: payment_status_invalid"],
  ["money final=4; accept; reject", "reject: late_transfer_accepted"],
  ["submit a; extend", "extend: payment_status_invalid"],
  ["declare", "declare: payment_not_refundable"],
  ["pass 31m; money lateFinal=10; declare", "declare: payment_not_refundable"],
  ["money final=10; declare; declare", "declare: payment_not_refundable"],
])("%s is refused: %s", (facts, refusal) => {
  expect(liveThrough(facts).refused).toEqual([refusal]);
});

test.each([
  "cancel; cancel",
  "money final=4; accept; accept",
  "pass 31m; money lateFinal=4; reject; reject",
  "submit a; submit a",
  "submit a; merchant a; merchant a",
  "sign; sign",
])("%s: a repetition changes nothing", (facts) => {
  const { payment, refused } = liveThrough(facts);
  const [first = ""] = [facts.slice(0, facts.lastIndexOf(";"))];
  expect(refused).toEqual([]);
  expect(payment).toEqual(liveThrough(first).payment);
});

test("the timeline tells an acceptance and the confirmation that follows", () => {
  const { steps } = liveThrough(
    "cancel; money lateFinal=10; accept; completed done=10; reorged done=0",
  );
  expect(steps).toEqual([
    "expired",
    "paid_late",
    "late_accepted",
    "confirmed",
    "refunded",
    "refund_undone",
  ]);
});
