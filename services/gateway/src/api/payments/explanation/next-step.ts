// What a merchant can do about a payment now, in one sentence.
import type { ExaminedTransaction, Payment } from "@pay/proto";
import type { Reason } from "@pay/values";
import { isoTime } from "../../field-values.ts";

export const ACTIONS = [
  "none",
  "wait",
  "pay",
  "pay_rest",
  "pay_again",
  "sign",
  "assign",
  "resolve",
  "review",
] as const;

export interface NextStep {
  action: (typeof ACTIONS)[number];
  text: string;
}

const NOTHING: NextStep = { action: "none", text: "Nothing is left to do." };

const WAITING: Readonly<Record<string, NextStep>> = {
  provider: wait("Wait: providers of the chain are asked again every few seconds."),
  transaction: wait(
    "Wait, or ask the shopper whether the wallet has sent it. If it sent another transaction, submit that one's hash.",
  ),
  block: wait("Wait for a block. The wallet can send it again with a higher fee."),
  depth: wait("Wait for more blocks. The transaction counts as soon as its block is final."),
  agreement: wait("Wait: providers of the chain are asked again until they agree."),
  claim: wait("Wait: a better claim to its money is decided first."),
  signature: {
    action: "sign",
    text: "The payer signs the payment's id with the wallet that paid. Or assign the transfer with POST /v1/transfers/{id}/assign.",
  },
  trace: {
    action: "review",
    text: "Look at the transaction in a block explorer. No provider can tell where a contract moved native coin.",
  },
};

/** A late payment is expired, and a payment never fails as not found. */
type FailureReason = Exclude<Reason, "late" | "not_found">;

const FAILED: Readonly<Record<string, NextStep>> = {
  underpaid: {
    action: "pay_rest",
    text: "The shopper sends the rest before the payment expires; otherwise return what arrived.",
  },
  reverted: again("The shopper sends it again: the failed transaction moved nothing."),
  recipient_mismatch: again("The shopper pays the right address, or submits the right hash."),
  wrong_token: again("The shopper pays in the right currency; return the other one by hand."),
  payer_mismatch: again("The shopper pays from the declared wallet, or declares the other one."),
  predates_payment: again("The shopper pays anew: an old transfer never pays a new order."),
  transfer_already_used: again(
    "Look for an order that was made twice; else the shopper pays anew.",
  ),
  ambiguous: {
    action: "assign",
    text: "Look which of your payments the transfer is for, and assign it with POST /v1/transfers/{id}/assign.",
  },
  replaced: again("The shopper submits the hash of the transaction that took its place."),
  reorged: again("The shopper pays anew: the transaction is not in the chain any more."),
} satisfies Record<FailureReason, NextStep>;

const RESOLVE: NextStep = {
  action: "resolve",
  text: "Money came too late. Accept or reject it with POST /v1/payments/{id}/resolve.",
};

function wait(text: string): NextStep {
  return { action: "wait", text };
}

function again(text: string): NextStep {
  return { action: "pay_again", text };
}

type Step = (payment: Payment, transactions: readonly ExaminedTransaction[]) => NextStep;

const BY_STATUS: Readonly<Record<string, Step>> = {
  created: whileUnpaid,
  pending: whileUnpaid,
  processing: (_, transactions) => whileWaiting(transactions) ?? VERIFYING,
  failed: ({ failureCode }) => FAILED[failureCode ?? ""] ?? again("The shopper pays anew."),
  expired: afterExpiry,
};

export function findNextStep(
  payment: Payment,
  transactions: readonly ExaminedTransaction[],
): NextStep {
  return BY_STATUS[payment.status]?.(payment, transactions) ?? NOTHING;
}

const VERIFYING = wait("Wait: its transaction is being verified.");

function whileWaiting(transactions: readonly ExaminedTransaction[]): NextStep | undefined {
  const waiting = transactions.findLast(({ rules }) =>
    rules.some(({ outcome }) => outcome === "waiting"),
  );
  return waiting && (WAITING[waiting.waitsFor ?? ""] ?? VERIFYING);
}

function whileUnpaid(payment: Payment, transactions: readonly ExaminedTransaction[]): NextStep {
  const waiting = whileWaiting(transactions);
  if (waiting !== undefined) return waiting;
  if (transactions.some(({ reason }) => reason === "underpaid")) return PARTLY_PAID;
  return {
    action: "pay",
    text: `The shopper pays ${payment.amount} to ${payment.recipientAddress} until ${isoTime(payment.expiresAt)}. If the wallet has sent it already, submit its hash.`,
  };
}

const PARTLY_PAID: NextStep = {
  action: "pay_rest",
  text: "A part has arrived. The shopper sends the rest before the payment expires.",
};

function afterExpiry(payment: Payment, transactions: readonly ExaminedTransaction[]): NextStep {
  const isLate = transactions.some(({ reason }) => reason === "late");
  if (payment.lateDecision === "accepted") {
    return wait("Wait: the accepted transfer is verified once more.");
  }
  if (isLate && payment.lateDecision === undefined) return RESOLVE;
  if (isLate) return { ...NOTHING, text: "The late money was rejected: send it back by hand." };
  return { ...NOTHING, text: "Nothing has paid it. For a new attempt, create a new payment." };
}
