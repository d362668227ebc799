// What a merchant can do about a payment now, in one sentence, from its sums and decisions.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ExaminedTransaction, Payment } from "@pay/proto";
import { checksumAddress, needsIn, type Reason, toAddress, toAmount, toDecimal } from "@pay/values";
import { isoTime } from "../../field-values.ts";
import { getPayTo } from "../response.ts";

export const ACTIONS = [
  "none",
  "wait",
  "pay",
  "pay_rest",
  "pay_again",
  "sign",
  "assign",
  "resolve",
  "refund",
  "review",
] as const;

export interface NextStep {
  action: (typeof ACTIONS)[number];
  text: string;
}

const NOTHING: NextStep = { action: "none", text: "Nothing is left to do." };

const ASSIGN = "assign the transfer with POST /v1/transfers/{id}/assign";

const AVOID =
  "With depositAddresses each payment has an address of its own, so that this cannot happen.";

const SIGN: NextStep = {
  action: "sign",
  text: `The payer signs with the wallet that paid. Or ${ASSIGN}. ${AVOID}`,
};

const REVIEW: NextStep = {
  action: "review",
  text: "Look at the transaction in a block explorer. No provider can tell where a contract moved native coin.",
};

const WAITING: Readonly<Record<string, NextStep>> = {
  provider: wait("Wait: providers of the chain are queried again every few seconds."),
  transaction: wait(
    "Wait, or ask the customer whether the wallet has sent it. If it sent another transaction, submit that one's hash.",
  ),
  block: wait("Wait for a block. The wallet can send it again with a higher fee."),
  depth: wait("Wait for more blocks. The transaction counts as soon as its block is final."),
  agreement: wait("Wait: providers of the chain are queried again until they agree."),
  signature: SIGN,
  trace: REVIEW,
};

/** Of the others, some are told by the sums, and some are never a payment's. */
type FailureReason = Exclude<Reason, "late" | "not_found" | "underpaid" | "payer_mismatch">;

const FAILED: Readonly<Record<string, NextStep>> = {
  reverted: again("The customer sends it again: the failed transaction moved nothing."),
  recipient_mismatch: again("The customer pays the right address, or submits the right hash."),
  wrong_token: again("The customer pays in the right currency; return the other one by hand."),
  predates_payment: again("The customer pays anew: an old transfer never pays a new order."),
  transfer_already_used: again(
    "Look for an order that was made twice; else the customer pays anew.",
  ),
  ambiguous: {
    action: "assign",
    text: `Look which of your payments the transfer is for, and ${ASSIGN}. ${AVOID}`,
  },
  replaced: again("The customer submits the hash of the transaction that took its place."),
  reorged: again("The customer pays anew: the transaction is not in the chain any more."),
} satisfies Record<FailureReason, NextStep>;

const VERIFYING = wait("Wait: its transaction is being verified.");

function wait(text: string): NextStep {
  return { action: "wait", text };
}

function again(text: string): NextStep {
  return { action: "pay_again", text };
}

interface Facts {
  payment: Payment;
  transactions: readonly ExaminedTransaction[];
  isInTime: boolean;
}

const BY_STATUS: Readonly<Record<string, (facts: Facts) => NextStep>> = {
  created: (facts) => findOpenStep(facts, payWhole) ?? decideOr(createAnother, facts),
  pending: (facts) => findOpenStep(facts, payWhole) ?? decideOr(createAnother, facts),
  failed: (facts) => findOpenStep(facts, payAgain) ?? decideOr(payAgain, facts),
  expired: (facts) => findScreened(facts) ?? decideOr(createAnother, facts),
  processing: (facts) => findNeed(facts) ?? VERIFYING,
  confirmed: ({ payment }) => returnSurplus(payment) ?? NOTHING,
};

export function findNextStep(
  payment: Payment,
  transactions: readonly ExaminedTransaction[],
  now: Date,
): NextStep {
  const isInTime = payment.expiresAt === undefined || now < timestampDate(payment.expiresAt);
  return BY_STATUS[payment.status]?.({ payment, transactions, isInTime }) ?? NOTHING;
}

type Step = (payment: Payment) => NextStep;

/** While it can still be paid: `pay` is the step where nothing has arrived. */
function findOpenStep(facts: Facts, pay: Step): NextStep | undefined {
  const { payment, isInTime } = facts;
  if (!isInTime) return undefined;
  const need = findNeed(facts);
  if (need !== undefined || !hasReceived(payment)) return need ?? pay(payment);
  // Money that comes after a refund pays nothing by itself.
  return payment.refundedBaseAmount === undefined ? payRest(payment) : decide(payment);
}

function decideOr(otherwise: Step, { payment }: Facts): NextStep {
  return hasReceived(payment) ? decide(payment) : otherwise(payment);
}

function createAnother({ failureCode, arrived }: Payment): NextStep {
  if (failureCode === "ambiguous" || arrived.length > 0) return FAILED.ambiguous ?? NOTHING;
  return {
    ...NOTHING,
    text: "Nothing has arrived for it. For a new attempt, create a new payment.",
  };
}

function findNeed({ payment, transactions }: Facts): NextStep | undefined {
  return findSignature(payment) ?? findWait(transactions);
}

/** Money of another wallet that came late, or too little, is told by its sums. */
function findScreened({ payment }: Facts): NextStep | undefined {
  if (payment.needs !== "review" || payment.lateDecision !== undefined) return undefined;
  return hasReceived(payment) ? reviewScreened(payment) : undefined;
}

function payAgain({ failureCode = "" }: Payment): NextStep {
  return FAILED[failureCode] ?? again("The customer pays anew.");
}

function findSignature(payment: Payment): NextStep | undefined {
  const { needs, arrived, decimals } = payment;
  const need = needsIn(needs);
  if (need === "review") return reviewScreened(payment) ?? REVIEW;
  if (need === undefined) return undefined;
  const last = arrived.at(-1);
  if (last === undefined) return SIGN;
  const amount = toDecimal(toAmount(last.baseAmount), decimals);
  return {
    ...SIGN,
    text: `An amount of ${amount} arrived at ${isoTime(last.at)} and may be meant for another payment. ${SIGN.text}`,
  };
}

function reviewScreened(payment: Payment): NextStep | undefined {
  const last = payment.screened.at(-1);
  if (last === undefined) return undefined;
  const { address, cause } = last;
  const wallet = checksumAddress(toAddress(address));
  const named =
    cause === "unanswered"
      ? `Nothing said in time whether the wallet ${wallet} may pay`
      : `Your screening (${cause}) has named the wallet ${wallet}`;
  if (!hasReceived(payment)) {
    return { action: "review", text: `${named}. The customer pays with another wallet.` };
  }
  return {
    action: "resolve",
    text: `${named}. ${describeReceived(payment)}. Accept it with POST /v1/payments/{id}/resolve, or return it with POST /v1/refunds.`,
  };
}

function findWait(transactions: readonly ExaminedTransaction[]): NextStep | undefined {
  const waiting = transactions.findLast(({ rules }) =>
    rules.some(({ outcome }) => outcome === "waiting"),
  );
  return waiting && (WAITING[waiting.waitsFor ?? ""] ?? VERIFYING);
}

function payWhole(payment: Payment): NextStep {
  const { amount, expiresAt } = payment;
  return {
    action: "pay",
    text: `The customer pays ${amount} to ${getPayTo(payment)} until ${isoTime(expiresAt)}. If the wallet has sent it already, submit its hash.`,
  };
}

function payRest(payment: Payment): NextStep {
  const { baseAmount, receivedBaseAmount, decimals, expiresAt } = payment;
  const missing = BigInt(baseAmount) - BigInt(receivedBaseAmount ?? 0);
  if (missing <= 0n) return wait("Wait: enough has arrived, and its block is not final.");
  return {
    action: "pay_rest",
    text: `${describeReceived(payment)}. The customer sends the remaining ${toDecimal(toAmount(missing), decimals)} until ${isoTime(expiresAt)}, or you accept what arrived with POST /v1/payments/{id}/resolve.`,
  };
}

/** Money that did not come in time, or not all of it. */
function decide(payment: Payment): NextStep {
  const { lateDecision, failureCode } = payment;
  if (lateDecision === "accepted") {
    return wait("Wait: the money that you accepted is not final yet.");
  }
  const when = failureCode === "late" ? ", too late" : "";
  const arrived = `${describeReceived(payment)}${when}`;
  if (lateDecision === "rejected" || payment.refundedBaseAmount !== undefined) {
    return { action: "refund", text: `${arrived}. Return it with POST /v1/refunds.` };
  }
  return {
    action: "resolve",
    text: `${arrived}. Accept it with POST /v1/payments/{id}/resolve, or return it with POST /v1/refunds.`,
  };
}

function returnSurplus({
  baseAmount,
  receivedBaseAmount = "0",
  refundedBaseAmount,
  decimals,
}: Payment): NextStep | undefined {
  const surplus = BigInt(receivedBaseAmount) - BigInt(baseAmount);
  // The merchant has looked at it already, and decided what goes back.
  if (surplus <= 0n || refundedBaseAmount !== undefined) return undefined;
  return {
    action: "refund",
    text: `${toDecimal(toAmount(surplus), decimals)} more than asked has arrived: keep it, or return it with POST /v1/refunds and surplus: true.`,
  };
}

function hasReceived({ receivedBaseAmount }: Payment): boolean {
  return receivedBaseAmount !== undefined && BigInt(receivedBaseAmount) > 0n;
}

function describeReceived({ receivedBaseAmount = "0", decimals, amount }: Payment): string {
  return `${toDecimal(toAmount(receivedBaseAmount), decimals)} of ${amount} arrived`;
}
