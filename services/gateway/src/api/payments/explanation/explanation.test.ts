import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { ExaminedTransactionSchema, FinalitySchema, PaymentSchema } from "@pay/proto";
import { OUTCOMES, REASONS, RULES } from "@pay/values";
import { PAYMENT_STATUSES } from "../step-response.ts";
import { renderActions } from "./actions.ts";
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

  test("names the rule by which its money counts", () => {
    const transfers = [{ ...transfer("1500000", "this"), rule: "signature" }];
    expect(say("attribution", "passed", { transfers })).toBe(
      "The wallet that paid signed for this payment.",
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
  const BEFORE = new Date(NOON.getTime() - 60_000);
  const AFTER = new Date(NOON.getTime() + 60_000);
  const part = { receivedBaseAmount: "900000", baseAmount: "1500000" };
  const arrived = [{ baseAmount: "1500000", at: timestampFromDate(BEFORE) }];

  function step(status: string, more: object = {}, { waitsFor = "", now = BEFORE } = {}) {
    const known = payment({ baseAmount: "1500000", status, ...more });
    return findNextStep(known, waitsFor === "" ? [] : [transaction({ waitsFor })], now);
  }

  test.each([
    ["of a new payment is to pay", step("created"), "pay", "The customer pays 1.50"],
    [
      "of a waiting transaction is to wait",
      step("processing", {}, { waitsFor: "depth" }),
      "wait",
      "",
    ],
    [
      "of money that fits two is to sign",
      step("created", { needs: "payer_signature", arrived }),
      "sign",
      "An amount of 1.5 arrived at 2026-11-22T11:59:00.000Z",
    ],
    [
      "of a transaction that no provider can trace is to look",
      step("processing", { needs: "review" }),
      "review",
      "",
    ],
    [
      "of money that no one has signed for is to assign it",
      step("failed", { failureCode: "ambiguous" }),
      "assign",
      "",
    ],
    [
      "of money that came for an expired one is to assign it",
      step("expired", { arrived }),
      "assign",
      "",
    ],
    [
      "of a found part is to pay the rest",
      step("created", part),
      "pay_rest",
      "0.9 of 1.50 arrived. The customer sends the remaining 0.6",
    ],
    [
      "of a failed part is to pay the rest",
      step("failed", { ...part, failureCode: "underpaid" }),
      "pay_rest",
      "",
    ],
    [
      "of what came after a refund of a part is to return it",
      step("failed", {
        failureCode: "underpaid",
        receivedBaseAmount: "1500000",
        refundedBaseAmount: "900000",
      }),
      "refund",
      "1.5 of 1.50 arrived. Return it",
    ],
    [
      "of a part whose time is over is to decide",
      step("failed", { ...part, failureCode: "underpaid" }, { now: AFTER }),
      "resolve",
      "0.9 of 1.50 arrived. Accept it",
    ],
    [
      "of an expired part is to decide",
      step("expired", { ...part, failureCode: "underpaid" }),
      "resolve",
      "",
    ],
    [
      "of late money is to decide",
      step("expired", { receivedBaseAmount: "1500000", failureCode: "late" }),
      "resolve",
      "1.5 of 1.50 arrived, too late.",
    ],
    [
      "of rejected money is to return it",
      step("expired", { ...part, lateDecision: "rejected" }),
      "refund",
      "",
    ],
    [
      "of accepted money is to wait",
      step("expired", { ...part, lateDecision: "accepted" }),
      "wait",
      "",
    ],
    ["of an expired payment without money is none", step("expired"), "none", "Nothing has arrived"],
    [
      "of a confirmed payment is none",
      step("confirmed", { receivedBaseAmount: "1500000" }),
      "none",
      "",
    ],
    [
      "of a surplus is to return it",
      step("confirmed", { receivedBaseAmount: "2000000" }),
      "refund",
      "0.5 more than asked has arrived",
    ],
    ["of a refunded payment is none", step("refunded", part), "none", ""],
  ])("%s", (_, { action, text }, expected, words) => {
    expect(action).toBe(expected);
    expect(text).toMatch(/\.$/);
    expect(text).toContain(words);
  });

  test("never says that nothing came while something did", () => {
    for (const status of PAYMENT_STATUSES) {
      for (const failureCode of [undefined, ...REASONS, "cancelled"]) {
        for (const now of [BEFORE, AFTER]) {
          const { text } = step(status, { ...part, failureCode }, { now });
          expect(text).not.toMatch(/nothing has arrived/i);
        }
      }
    }
  });
});

const reader = { scopes: new Set(["payments:read"]) };

test("an explanation is as the reference documents it", () => {
  const rules = [{ name: "mined", outcome: "passed" }];
  const explained = renderExplanation({
    payment: payment(),
    transactions: [transaction({ rules, minedBlock: 7n })],
    finality: twelve,
    now: NOON,
    actions: renderActions(reader, [
      { name: "cancel" },
      { name: "accept", failure: { message: "Payment is created" } },
    ]),
  });
  expect(paymentExplanation.parse(explained)).toMatchObject({
    serverTime: NOON.toISOString(),
    actions: [
      { name: "accept", allowed: false, why: "Payment is created", needs: "payments:write" },
      { name: "cancel", allowed: false, why: "The scope payments:write is missing" },
    ],
    transactions: [{ blockNumber: 7, rules: [{ ...rules[0], text: "It is in block 7." }] }],
  });
});
