import type { ExaminedTransaction, ExaminedTransfer, Finality, Payment } from "@pay/proto";
import {
  ATTRIBUTION_RULES,
  OUTCOMES,
  PAID,
  RULES,
  TRANSACTION_SOURCES,
  toAmount,
  toDecimal,
  UNMATCHED_REASONS,
  VERDICT_STATES,
} from "@pay/values";
import { z } from "zod";
import { CREATED_AT, TX_HASH } from "../../example-values.ts";
import * as shown from "../../field-values.ts";
import { buildShape, listNames, pick } from "../../response-fields.ts";
import { PAYMENT_STATUSES } from "../step-response.ts";
import { renderTransfer, transferShape } from "../transfer-response.ts";
import { actionShape } from "./actions.ts";
import { ACTIONS, findNextStep } from "./next-step.ts";
import { type Evidence, getSentence } from "./words.ts";

export interface Explained {
  payment: Payment;
  transactions: readonly ExaminedTransaction[];
  finality: Finality | undefined;
  now: Date;
  actions: z.output<typeof actionShape>[];
}

function toNumber(value: bigint | undefined): number | null {
  return value === undefined ? null : Number(value);
}

const ruleShape = z
  .strictObject({
    name: shown.choice(RULES, "Name of the rule.", "mined"),
    outcome: shown.choice(OUTCOMES, "Outcome of the rule.", "passed"),
    text: shown.string("The outcome as a sentence.", "It is in block 21000000."),
  })
  .meta({ id: "PaymentExplainTransactionsRules" });

const examinedTransferShape = transferShape
  .extend({
    blockHash: shown.string("Hash of its block.", TX_HASH),
    state: shown.choice(
      ["seen", "final", "orphaned"],
      "Whether its block is seen, final, or orphaned.",
    ),
    pays: shown.choice(
      PAID,
      "What the transfer counts for: this payment, another one, or nothing.",
    ),
    rule: shown.choiceOrNull(
      ATTRIBUTION_RULES,
      "Rule by which it counts for this payment; null where it does not.",
    ),
    reason: shown.choiceOrNull(
      UNMATCHED_REASONS,
      "Reason why it counts for nothing; null where it counts.",
    ),
  })
  .meta({ id: "PaymentExplainTransactionsTransfers" });

function renderExamined(examined: ExaminedTransfer, decimals: number) {
  const { transfer, blockHash, status, pays, rule = null, reason = null } = examined;
  const moved = transfer === undefined ? {} : renderTransfer(transfer, decimals);
  return { ...moved, blockHash, state: status, pays, rule, reason };
}

const TRANSACTION = {
  txHash: {
    schema: shown.string("Transaction hash.", TX_HASH),
    of: ({ transaction }: Evidence) => transaction.txHash,
  },
  source: {
    schema: shown.choice(
      TRANSACTION_SOURCES,
      "Origin of the hash: `merchant`, `shopper` (the customer), or `chain` where it was found on the chain.",
      "shopper",
    ),
    of: ({ transaction }: Evidence) => transaction.source,
  },
  state: {
    schema: shown.choice(VERDICT_STATES, "State of the verdict.", "waiting"),
    of: ({ transaction }: Evidence) => transaction.state,
  },
  reason: {
    schema: shown.stringOrNull("Reason of the rejection; null otherwise."),
    of: ({ transaction }: Evidence) => transaction.reason ?? null,
  },
  provingTxHash: {
    schema: shown.stringOrNull("Transaction that replaced it and paid; null otherwise."),
    of: ({ transaction }: Evidence) => transaction.provingTxHash ?? null,
  },
  submittedAt: {
    schema: shown.time("Time at which it was submitted or found."),
    of: ({ transaction }: Evidence) => shown.isoTime(transaction.submittedAt),
  },
  firstSeenAt: {
    schema: shown.timeOrNull(
      "Time at which a provider first returned it, pending or mined; null before.",
      CREATED_AT,
    ),
    of: ({ transaction }: Evidence) => shown.isoTime(transaction.firstSeenAt),
  },
  checkedAt: {
    schema: shown.timeOrNull("Time of the last check; null before it.", CREATED_AT),
    of: ({ transaction }: Evidence) => shown.isoTime(transaction.lookedAt),
  },
  judgedAt: {
    schema: shown.timeOrNull("Time of the verdict; null before it."),
    of: ({ transaction }: Evidence) => shown.isoTime(transaction.judgedAt),
  },
  blockNumber: {
    schema: shown.integerOrNull(
      "Block of the transaction when it was checked; null without one.",
      21_000_000,
    ),
    of: ({ transaction }: Evidence) => toNumber(transaction.minedBlock),
  },
  chainHead: {
    schema: shown.integerOrNull(
      "Highest block of the chain when the transaction was checked; null before.",
      21_000_003,
    ),
    of: ({ transaction }: Evidence) => toNumber(transaction.chainHead),
  },
  providersAgreeing: {
    schema: shown.integerOrNull(
      "Number of providers that return the same transaction; null before the comparison.",
    ),
    of: ({ transaction }: Evidence) => transaction.providersAgreeing ?? null,
  },
  providersContradicting: {
    schema: shown.integerOrNull(
      "Number of providers that return another transaction; null before the comparison.",
    ),
    of: ({ transaction }: Evidence) => transaction.providersContradicting ?? null,
  },
  rules: {
    schema: z.array(ruleShape).describe("Rules of the verdict, in their order of application."),
    of: (evidence: Evidence) =>
      evidence.transaction.rules.map(({ name, outcome }) => ({
        name,
        outcome,
        text: getSentence(name, outcome, evidence),
      })),
  },
  transfers: {
    schema: z.array(examinedTransferShape).meta({
      description: "Transfers to the recipient in the currency of the payment.",
      example: [],
    }),
    of: ({ transaction, payment: { decimals } }: Evidence) =>
      transaction.transfers.map((transfer) => renderExamined(transfer, decimals)),
  },
};

const TRANSACTION_NAMES = listNames(TRANSACTION);

const FIELDS = {
  id: { schema: shown.id("pay"), of: ({ payment }: Explained) => payment.id },
  status: {
    schema: shown.choice(
      PAYMENT_STATUSES,
      "Status of the payment; the guide explains each value.",
      "processing",
    ),
    of: ({ payment }: Explained) => payment.status,
  },
  failureCode: {
    schema: shown.failureCode,
    of: ({ payment }: Explained) => payment.failureCode ?? null,
  },
  receivedAmount: {
    schema: shown.stringOrNull(
      "Amount that has arrived for the payment, in time and late; null before any.",
    ),
    of: ({ payment: { receivedBaseAmount, decimals } }: Explained) =>
      receivedBaseAmount === undefined ? null : toDecimal(toAmount(receivedBaseAmount), decimals),
  },
  serverTime: { schema: shown.serverTime, of: ({ now }: Explained) => now.toISOString() },
  nextStep: {
    schema: z
      .strictObject({
        action: shown.choice(ACTIONS, "Kind of the next step.", "wait"),
        text: shown.string("The same as a sentence.", "Wait for more blocks."),
      })
      .describe("The next step for this payment."),
    of: ({ payment, transactions, now }: Explained) => findNextStep(payment, transactions, now),
  },
  actions: {
    schema: z
      .array(actionShape)
      .describe("What you can do about the payment now, with the reason where it is not allowed."),
    of: ({ actions }: Explained) => actions,
  },
  transactions: {
    schema: z
      .array(buildShape("PaymentExplainTransactions", TRANSACTION, TRANSACTION_NAMES))
      .describe("Transactions that were submitted or found for the payment, oldest first."),
    of: ({ payment, transactions, finality }: Explained) =>
      transactions.map((transaction) =>
        pick(TRANSACTION, TRANSACTION_NAMES, { transaction, payment, finality }),
      ),
  },
};

const NAMES = listNames(FIELDS);

export const paymentExplanation = buildShape("PaymentExplain", FIELDS, NAMES);

export function renderExplanation(explained: Explained) {
  return pick(FIELDS, NAMES, explained);
}
