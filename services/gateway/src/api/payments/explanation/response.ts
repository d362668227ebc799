import type { ExaminedTransaction, ExaminedTransfer, Finality, Payment } from "@pay/proto";
import { OUTCOMES, RULES } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape, textOrNull } from "../../field-values.ts";
import { buildShape, listNames, pick } from "../../response-fields.ts";
import { PAYMENT_STATUSES } from "../statuses.ts";
import { renderTransfer, transferShape } from "../transfer-response.ts";
import { ACTIONS, findNextStep } from "./next-step.ts";
import { type Evidence, getSentence } from "./words.ts";

export interface Explained {
  payment: Payment;
  transactions: readonly ExaminedTransaction[];
  finality: Finality | undefined;
  now: Date;
}

const timeOrNull = isoTimeShape.nullable();
const countOrNull = z.int().nullable();

function toNumber(value: bigint | undefined): number | null {
  return value === undefined ? null : Number(value);
}

const ruleShape = z.strictObject({
  name: z.enum(RULES),
  outcome: z.enum(OUTCOMES),
  text: z.string(),
});

const examinedTransferShape = transferShape.extend({
  blockHash: z.string(),
  state: z.enum(["seen", "final", "orphaned"]),
  pays: z.enum(["this", "other", "nothing"]),
});

function renderExamined({ transfer, blockHash, status, pays }: ExaminedTransfer, decimals: number) {
  const moved = transfer === undefined ? {} : renderTransfer(transfer, decimals);
  return { ...moved, blockHash, state: status, pays };
}

const TRANSACTION = {
  txHash: { schema: z.string(), of: ({ transaction }: Evidence) => transaction.txHash },
  source: {
    schema: z.enum(["merchant", "shopper", "chain"]),
    of: ({ transaction }: Evidence) => transaction.source,
  },
  state: {
    schema: z.enum(["waiting", "confirmed", "surplus", "rejected", "abandoned"]),
    of: ({ transaction }: Evidence) => transaction.state,
  },
  reason: { schema: textOrNull, of: ({ transaction }: Evidence) => transaction.reason ?? null },
  provingTxHash: {
    schema: textOrNull,
    of: ({ transaction }: Evidence) => transaction.provingTxHash ?? null,
  },
  submittedAt: {
    schema: isoTimeShape,
    of: ({ transaction }: Evidence) => isoTime(transaction.submittedAt),
  },
  firstSeenAt: {
    schema: timeOrNull,
    of: ({ transaction }: Evidence) => isoTime(transaction.firstSeenAt),
  },
  checkedAt: {
    schema: timeOrNull,
    of: ({ transaction }: Evidence) => isoTime(transaction.lookedAt),
  },
  judgedAt: {
    schema: timeOrNull,
    of: ({ transaction }: Evidence) => isoTime(transaction.judgedAt),
  },
  blockNumber: {
    schema: countOrNull,
    of: ({ transaction }: Evidence) => toNumber(transaction.minedBlock),
  },
  chainHead: {
    schema: countOrNull,
    of: ({ transaction }: Evidence) => toNumber(transaction.chainHead),
  },
  providersAgreeing: {
    schema: countOrNull,
    of: ({ transaction }: Evidence) => transaction.providersAgreeing ?? null,
  },
  providersContradicting: {
    schema: countOrNull,
    of: ({ transaction }: Evidence) => transaction.providersContradicting ?? null,
  },
  rules: {
    schema: z.array(ruleShape),
    of: (evidence: Evidence) =>
      evidence.transaction.rules.map(({ name, outcome }) => ({
        name,
        outcome,
        text: getSentence(name, outcome, evidence),
      })),
  },
  transfers: {
    schema: z.array(examinedTransferShape),
    of: ({ transaction, payment: { decimals } }: Evidence) =>
      transaction.transfers.map((transfer) => renderExamined(transfer, decimals)),
  },
};

const TRANSACTION_NAMES = listNames(TRANSACTION);

const FIELDS = {
  id: { schema: z.string(), of: ({ payment }: Explained) => payment.id },
  status: { schema: z.enum(PAYMENT_STATUSES), of: ({ payment }: Explained) => payment.status },
  failureCode: {
    schema: textOrNull,
    of: ({ payment }: Explained) => payment.failureCode ?? null,
  },
  serverTime: { schema: isoTimeShape, of: ({ now }: Explained) => now.toISOString() },
  nextStep: {
    schema: z.strictObject({ action: z.enum(ACTIONS), text: z.string() }),
    of: ({ payment, transactions }: Explained) => findNextStep(payment, transactions),
  },
  transactions: {
    schema: z.array(buildShape(TRANSACTION, TRANSACTION_NAMES)),
    of: ({ payment, transactions, finality }: Explained) =>
      transactions.map((transaction) =>
        pick(TRANSACTION, TRANSACTION_NAMES, { transaction, payment, finality }),
      ),
  },
};

const NAMES = listNames(FIELDS);

export const paymentExplanation = buildShape(FIELDS, NAMES);

export function renderExplanation(explained: Explained) {
  return pick(FIELDS, NAMES, explained);
}
