import { describe, expect, test } from "@jest/globals";
import {
  describeDelivery,
  describePayment,
  describeRefund,
  type PaymentFacts,
} from "./status-words.ts";

function describeWith(facts: Partial<PaymentFacts>) {
  const { word, tone } = describePayment({ status: "created", amount: "24.00", ...facts });
  return `${word} (${tone})`;
}

describe("a payment", () => {
  const cases: [Partial<PaymentFacts>, string][] = [
    [{}, "Awaiting payment (still)"],
    [{ receivedAmount: "10" }, "Part paid (heed)"],
    [{ status: "failed", failureCode: "underpaid" }, "Part paid (heed)"],
    [{ status: "expired", failureCode: "underpaid" }, "Part paid, time over (heed)"],
    [{ status: "processing" }, "Confirming (busy)"],
    [{ status: "processing", needs: "payer_signature" }, "Needs a signature (heed)"],
    [{ status: "processing", needs: "review" }, "In review (heed)"],
    [{ status: "confirmed", receivedAmount: "24" }, "Confirmed (good)"],
    [{ status: "confirmed", receivedAmount: "29" }, "Confirmed, 5.00 too much (good)"],
    [{ status: "confirmed", refundedAmount: "10" }, "Confirmed, 10.00 returned (good)"],
    [{ status: "expired" }, "Expired (still)"],
    [{ status: "failed", failureCode: "cancelled" }, "Cancelled (still)"],
    [{ status: "expired", failureCode: "late" }, "Paid late (heed)"],
    [{ status: "failed", failureCode: "ambiguous" }, "Unclear whose (heed)"],
    [{ status: "failed", failureCode: "reverted" }, "Failed: transaction reverted (bad)"],
    [{ status: "refunded" }, "Refunded (still)"],
  ];

  test.each(cases)("%j reads %s", (facts, words) => {
    expect(describeWith(facts)).toBe(words);
  });
});

test("a refund waits for a signature until its hash is submitted", () => {
  expect(describeRefund({ status: "created" }).word).toBe("To sign");
  expect(describeRefund({ status: "created", submittedTxHash: "0xab" }).word).toBe("Confirming");
  expect(describeRefund({ status: "completed" }).word).toBe("Returned");
});

test("a finished delivery reads as the endpoint's last answer", () => {
  const attempt = { number: 1, startedAt: "2026-11-28T01:00:00.000Z", durationMs: 7, error: null };
  function read(state: "delivered" | "failed" | "pending" | "parked", statusCode: number | null) {
    return describeDelivery({ state, attempts: [{ ...attempt, statusCode }] }).word;
  }

  expect(read("delivered", 200)).toBe("200");
  expect(read("failed", 503)).toBe("503");
  expect(read("failed", null)).toBe("No answer");
  expect(read("parked", 503)).toBe("Parked");
  expect(read("pending", 503)).toBe("Retrying");
  expect(describeDelivery({ state: "pending", attempts: [] }).word).toBe("Waiting");
});
