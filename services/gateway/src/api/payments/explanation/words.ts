// What each rule says about a transaction, in words. The outcome comes from the service that applies the rule; here are
// only the sentences, each with the evidence that it rests on.
import type { ExaminedTransaction, Finality, Payment } from "@pay/proto";
import {
  type Amount,
  ATTRIBUTION_RULES,
  type AttributionRule,
  type Outcome,
  type Rule,
  sumAmounts,
  toAmount,
  toDecimal,
} from "@pay/values";
import { isoTime } from "../../field-values.ts";

export interface Evidence {
  transaction: ExaminedTransaction;
  payment: Payment;
  /** Undefined where the chain is configured no longer. */
  finality: Finality | undefined;
}

type Sentence = (evidence: Evidence) => string;

const COMMON: Readonly<Partial<Record<Outcome, string>>> = {
  not_reached: "Not checked: a rule before this one decides.",
  not_applied: "Does not apply to money that comes on top of a paid amount.",
};

const WORDS: Readonly<Record<Rule, Partial<Record<Outcome, Sentence>>>> = {
  found: {
    passed: () => "The chain knows the transaction.",
    waiting: ({ transaction: { waitsFor } }) =>
      waitsFor === undefined
        ? "It was not looked for yet."
        : waitsFor === "provider"
          ? "No provider of the chain has answered."
          : "The providers of the chain do not know the transaction.",
    failed: ({ transaction: { reason } }) =>
      reason === "replaced"
        ? "Another transaction with the same nonce took its place, and does not pay."
        : "No provider knew the transaction until the search for it ended.",
  },
  mined: {
    passed: ({ transaction: { minedBlock } }) =>
      minedBlock === undefined ? "It is in a block." : `It is in block ${minedBlock}.`,
    waiting: () => "The providers know it, and it is in no block.",
    failed: () => "Its block left the chain, and the transaction was not back an hour later.",
  },
  settled: {
    passed: (evidence) => `Its block counts as final: ${describeDepth(evidence)}.`,
    waiting: (evidence) => `Its block does not count as final: ${describeDepth(evidence)}.`,
  },
  providers: {
    passed: ({ transaction: { providersAgreeing = 1, providersContradicting = 0 } }) =>
      `${providersAgreeing} of ${providersAgreeing + providersContradicting} providers that have its block report the same.`,
    waiting: ({ transaction: { providersAgreeing = 1, providersContradicting = 0 } }) =>
      providersContradicting > 0
        ? `Providers contradict each other: ${providersAgreeing} report it, ${providersContradicting} report something else.`
        : "A second provider has to report the same, and none does.",
  },
  succeeded: {
    passed: () => "The chain executed it without an error.",
    failed: () => "It failed on the chain, so it moved nothing.",
  },
  recipient: {
    passed: ({ payment }) => `Money reached ${payment.recipientAddress}.`,
    waiting: ({ payment }) =>
      `No provider can tell whether a contract moved native coin to ${payment.recipientAddress}.`,
    failed: ({ payment }) => `Nothing reached ${payment.recipientAddress}.`,
  },
  currency: {
    passed: ({ payment }) => `The money is in the currency of the payment, ${payment.currency}.`,
    failed: ({ payment }) =>
      `What arrived is not in the currency of the payment, ${payment.currency}.`,
  },
  not_before: {
    passed: ({ transaction }) =>
      `Its block is not older than the payment: ${minedAt(transaction)}, not before ${isoTime(transaction.notBefore)}.`,
    failed: ({ transaction }) =>
      `Its block is older than the payment: ${minedAt(transaction)}, and not before ${isoTime(transaction.notBefore)} was required.`,
  },
  not_after: {
    passed: ({ transaction }) =>
      transaction.notAfter === undefined
        ? "It has no latest time."
        : `Its block came in time: ${minedAt(transaction)}, not after ${isoTime(transaction.notAfter)}.`,
    failed: ({ transaction }) =>
      `Its block came too late: ${minedAt(transaction)}, and not after ${isoTime(transaction.notAfter)} was required.`,
  },
  unused: {
    passed: () => "The money pays nothing else.",
    failed: () => "The money pays another payment already.",
  },
  attribution: {
    passed: (evidence) => ATTRIBUTED[findRule(evidence)],
    waiting: () =>
      "Its money fits several payments or none exactly, and no wallet has signed for one of them.",
    failed: () =>
      "Its money fits several payments or none exactly, and no wallet has signed for one of them in time.",
  },
  amount: {
    passed: (evidence) => `${arrived(evidence)}, which is enough.`,
    failed: (evidence) => `${arrived(evidence)}, which is too little.`,
  },
};

const ATTRIBUTED: Readonly<Record<AttributionRule | "unknown", string>> = {
  reference: "The wallet that paid named this payment in its call.",
  authorization: "The wallet that paid signed for this payment, and the service sent it.",
  address: "It was sent to the deposit address of this payment.",
  merchant: "You assigned its money to this payment.",
  signature: "The wallet that paid signed for this payment.",
  lone: "Its money fits this payment and no other.",
  group: "As many such transfers came as payments are due them.",
  unknown: "Its money counts for this payment.",
};

function findRule({ transaction: { transfers } }: Evidence): keyof typeof ATTRIBUTED {
  const own = transfers.find(({ pays }) => pays === "this")?.rule;
  return ATTRIBUTION_RULES.find((rule) => rule === own) ?? "unknown";
}

export function getSentence(rule: string, outcome: string, evidence: Evidence): string {
  const say = WORDS[rule as Rule]?.[outcome as Outcome];
  return say?.(evidence) ?? COMMON[outcome as Outcome] ?? "";
}

function describeDepth({ transaction, finality }: Evidence): string {
  const { minedBlock, chainHead } = transaction;
  const isByDepth = finality?.mode === "confirmations";
  const needed =
    finality === undefined
      ? "the chain's policy"
      : isByDepth
        ? `${finality.confirmations} confirmations`
        : `the chain's tag ${finality.mode}`;
  if (minedBlock === undefined || chainHead === undefined) return `it needs ${needed}`;
  return `it needs ${needed}, and had ${chainHead - minedBlock + 1n} at block ${chainHead}`;
}

function minedAt({ transfers }: ExaminedTransaction): string {
  return isoTime(transfers[0]?.transfer?.minedAt) ?? "its time is not stored";
}

/** What it brought to this payment, or would have brought. */
function sumReceived({ transfers }: ExaminedTransaction): Amount {
  const own = transfers.filter(({ pays }) => pays === "this");
  const counted = own.length > 0 ? own : transfers.filter(({ pays }) => pays === "nothing");
  return sumAmounts(counted.map(({ transfer }) => toAmount(transfer?.baseAmount ?? 0n)));
}

function arrived({ transaction, payment: { decimals, amount } }: Evidence): string {
  return `${toDecimal(sumReceived(transaction), decimals)} of ${amount} arrived`;
}
