import { describe, expect, test } from "@jest/globals";
import type { Payment, PaymentExplain } from "../../api/records.ts";
import { describeWhy } from "./why.ts";

const PAYMENT: Payment = {
  id: "pay_4mYb1fJtQv8sN2xKcW7hRz9L",
  status: "created",
  txHash: null,
  blockNumber: null,
  amount: "150",
  currency: "native",
  chainId: 1,
  createdAt: "2026-11-28T01:00:00.000Z",
  expiresAt: "2026-11-28T01:30:00.000Z",
};
type Action = PaymentExplain["nextStep"]["action"];

function say(action: Action, facts: Partial<Payment> = {}, waiting?: string): string {
  const payment = { ...PAYMENT, ...facts };
  const rules = waiting ? [{ name: "settled", outcome: "waiting", text: waiting }] : [];
  const explanation = {
    nextStep: { action, text: "" },
    transactions: [{ rules }],
  } as unknown as PaymentExplain;
  return describeWhy({ payment, explanation, symbol: "USDC" });
}

describe("the reason of a payment", () => {
  const part = { receivedAmount: "100" };
  const late = { status: "expired" as const, failureCode: "late", receivedAmount: "150" };
  test.each<[string, string]>([
    [say("pay"), "Nothing has arrived yet."],
    [say("pay_rest", part), "100.00 of 150.00 USDC arrived. The shopper can send the other 50.00"],
    [say("resolve", part), "100.00 of 150.00 USDC arrived before the time to pay ended."],
    [say("resolve", late), "150.00 of 150.00 USDC arrived, after the time to pay."],
    [
      say("refund", { status: "confirmed", receivedAmount: "155" }),
      "5.00 USDC more than due arrived. Keep it or return it.",
    ],
    [say("refund", part), "100.00 of 150.00 USDC arrived and was not accepted. Return it."],
    [say("wait", {}, "Its block is not final."), "Its block is not final."],
    [
      say("pay_again", { status: "failed", failureCode: "wrong_token" }),
      "The transaction moved another token.",
    ],
    [
      say("none", { status: "confirmed", receivedAmount: "150" }),
      "150.00 of 150.00 USDC arrived and is final.",
    ],
    [say("none", { status: "expired" }), "The time to pay is over. Nothing arrived."],
    [
      say("none", { status: "expired", failureCode: "cancelled" }),
      "The shop cancelled the payment.",
    ],
  ])("%s", (sentence, begin) => {
    expect(sentence.startsWith(begin)).toBe(true);
  });
});
