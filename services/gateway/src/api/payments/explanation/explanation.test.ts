import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { ExaminedTransactionSchema, FinalitySchema, PaymentSchema } from "@pay/proto";
import { OUTCOMES, RULES } from "@pay/values";
import { findNextStep } from "./next-step.ts";
import { paymentExplanation, renderExplanation } from "./response.ts";
import { getSentence } from "./words.ts";

const NOON = new Date("2026-11-22T12:00:00.000Z");
const SHOP = "0x52908400098527886E0F7030069857D2E4169EE7";

function payment(more: object = {}) {
  return create(PaymentSchema, {
    id: "pay_4mYb1fJtQv8sN2xKcW7hRz9L",
    status: "processing",
    amount: "1.50",
    decimals: 6,
    currency: "native",
    recipientAddress: SHOP,
    expiresAt: timestampFromDate(NOON),
    ...more,
  });
}

function transfer(baseAmount: string, pays = "nothing") {
  return { transfer: { baseAmount, minedAt: timestampFromDate(NOON) }, status: "seen", pays };
}

function transaction(more: object = {}) {
  return create(ExaminedTransactionSchema, {
    txHash: "0xab",
    state: "waiting",
    source: "shopper",
    rules: [{ name: "settled", outcome: "waiting" }],
    submittedAt: timestampFromDate(NOON),
    notBefore: timestampFromDate(NOON),
    ...more,
  });
}

const twelve = create(FinalitySchema, { mode: "confirmations", confirmations: 12 });

function say(rule: string, outcome: string, more: object = {}) {
  const evidence = { transaction: transaction(more), payment: payment(), finality: twelve };
  return getSentence(rule, outcome, evidence);
}

describe("the sentence of a rule", () => {
  test("exists for every rule that passed, and for every end that a rule can have", () => {
    for (const rule of RULES) {
      expect(say(rule, "passed")).toMatch(/\.$/);
      expect([say(rule, "waiting"), say(rule, "failed")].join("")).toMatch(/\.$/);
      for (const outcome of OUTCOMES) {
        expect(say(rule, outcome, { payer: SHOP })).not.toContain("undefined");
      }
    }
  });

  test("names the depth that a block has and needs", () => {
    expect(say("settled", "waiting", { minedBlock: 100n, chainHead: 103n })).toBe(
      "Its block does not count as final: it needs 12 confirmations, and had 4 at block 103.",
    );
  });

  test("names what arrived and what was asked for, in the unit that people use", () => {
    const transfers = [transfer("1000000"), transfer("200000"), transfer("7", "other")];
    expect(say("amount", "failed", { transfers })).toBe(
      "1.2 of 1.50 arrived, which is too little.",
    );
    const paying = [transfer("1500000", "this"), transfer("9")];
    expect(say("amount", "passed", { transfers: paying })).toBe(
      "1.5 of 1.50 arrived, which is enough.",
    );
  });

  test("names the providers that contradict each other", () => {
    const counts = { providersAgreeing: 1, providersContradicting: 2 };
    expect(say("providers", "waiting", counts)).toBe(
      "Providers contradict each other: 1 report it, 2 report something else.",
    );
  });
});

describe("the next step", () => {
  const late = transaction({ state: "rejected", reason: "late", rules: [] });
  test.each([
    ["of a new payment is to pay", payment({ status: "created" }), [], "pay"],
    [
      "of a waiting transaction is to wait",
      payment(),
      [transaction({ waitsFor: "depth" })],
      "wait",
    ],
    [
      "of money that two claim is to sign",
      payment(),
      [transaction({ waitsFor: "signature" })],
      "sign",
    ],
    [
      "of money that no one has signed for is to assign it",
      payment({ status: "failed", failureCode: "ambiguous" }),
      [],
      "assign",
    ],
    [
      "of a found part is to pay the rest",
      payment({ status: "created" }),
      [transaction({ state: "rejected", reason: "underpaid", rules: [] })],
      "pay_rest",
    ],
    [
      "of an underpaid payment is to pay the rest",
      payment({ status: "failed", failureCode: "underpaid" }),
      [],
      "pay_rest",
    ],
    ["of late money is to decide", payment({ status: "expired" }), [late], "resolve"],
    [
      "of rejected late money is nothing",
      payment({ status: "expired", lateDecision: "rejected" }),
      [late],
      "none",
    ],
    ["of a confirmed payment is nothing", payment({ status: "confirmed" }), [], "none"],
  ])("%s", (_, of, transactions, action) => {
    const step = findNextStep(of, transactions);
    expect(step.action).toBe(action);
    expect(step.text).toMatch(/\.$/);
  });
});

test("an explanation is as the reference documents it", () => {
  const rules = [{ name: "mined", outcome: "passed" }];
  const explained = renderExplanation({
    payment: payment(),
    transactions: [transaction({ rules, minedBlock: 7n })],
    finality: twelve,
    now: NOON,
  });
  expect(paymentExplanation.parse(explained)).toMatchObject({
    serverTime: NOON.toISOString(),
    transactions: [{ blockNumber: 7, rules: [{ ...rules[0], text: "It is in block 7." }] }],
  });
});
