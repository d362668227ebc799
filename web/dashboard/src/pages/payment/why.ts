// Why a payment is as it is, in one sentence for people of the shop.
import { formatAmount, isMore, isZero, subtractAmount } from "../../amounts.ts";
import type { Payment, PaymentExplain } from "../../api/records.ts";
import { formatWhen } from "../../times.ts";

const FAILED: Readonly<Record<string, string>> = {
  reverted: "The transaction failed on the network and moved nothing.",
  recipient_mismatch: "The transaction paid another address.",
  wrong_token: "The transaction moved another token.",
  predates_payment: "The transfer is older than the payment, so it cannot be for it.",
  transfer_already_used: "The transfer has paid another payment already.",
  not_found: "The network does not know the transaction.",
  payer_mismatch: "The transaction came from another wallet than the declared one.",
  replaced: "Another transaction took the place of the submitted one.",
  reorged: "The network removed the block of the transaction.",
  ambiguous: "Money arrived that could be for more than one payment.",
  cancelled: "The shop cancelled the payment. Nothing had arrived.",
};

interface Facts {
  payment: Payment;
  explanation: PaymentExplain;
  symbol: string;
}

/** The rule that has not passed, as the service words it. */
function findWait({ transactions }: PaymentExplain): string | undefined {
  const rules = transactions.flatMap((transaction) => transaction.rules);
  return rules.findLast(({ outcome }) => outcome === "waiting")?.text;
}

function describeArrived({ amount, receivedAmount }: Payment, symbol: string): string {
  return `${formatAmount(receivedAmount ?? "0")} of ${formatAmount(amount)} ${symbol} arrived`;
}

const SENTENCES: Record<PaymentExplain["nextStep"]["action"], (facts: Facts) => string> = {
  pay: ({ payment: { expiresAt } }) =>
    `Nothing has arrived yet. ${expiresAt ? `The time to pay ends at ${formatWhen(expiresAt)}.` : ""}`,
  pay_rest: ({ payment, symbol }) => {
    const rest = subtractAmount(payment.amount, payment.receivedAmount ?? "0");
    const until = payment.expiresAt ? ` until ${formatWhen(payment.expiresAt)}` : "";
    return `${describeArrived(payment, symbol)}. The shopper can send the other ${formatAmount(rest)}${until}.`;
  },
  pay_again: ({ payment: { failureCode } }) =>
    FAILED[failureCode ?? ""] ?? "The payment failed. The shopper pays again.",
  sign: () =>
    "Money arrived that could be for another payment. The payer signs with the wallet that sent it, or you assign it.",
  assign: () => "Money arrived that could be for this payment. Nobody has said whose it is.",
  resolve: ({ payment, symbol }) => {
    const arrived = describeArrived(payment, symbol);
    if (payment.needs === "review")
      return `${arrived}, from a wallet that your screening named. Accept it or return it.`;
    return payment.failureCode === "late"
      ? `${arrived}, after the time to pay. Accept it or return it.`
      : `${arrived} before the time to pay ended. Accept it or return it.`;
  },
  refund: ({ payment, symbol }) => {
    const { amount, receivedAmount } = payment;
    if (receivedAmount && isMore(receivedAmount, amount) && payment.status === "confirmed") {
      const surplus = formatAmount(subtractAmount(receivedAmount, amount));
      return `${surplus} ${symbol} more than due arrived. Keep it or return it.`;
    }
    return `${describeArrived(payment, symbol)} and was not accepted. Return it.`;
  },
  review: () =>
    "A contract sent the money, and no provider can trace it. Look at the transaction in the explorer.",
  wait: ({ explanation }) => findWait(explanation) ?? "Its transaction is being verified.",
  none: ({ payment, symbol }) => {
    const { status, failureCode, receivedAmount } = payment;
    if (status === "confirmed") return `${describeArrived(payment, symbol)} and is final.`;
    if (status === "refunded") return "All of it was returned.";
    if (failureCode && FAILED[failureCode]) return FAILED[failureCode];
    if (!receivedAmount || isZero(receivedAmount))
      return "The time to pay is over. Nothing arrived.";
    return `${describeArrived(payment, symbol)}.`;
  },
};

export function describeWhy(facts: Facts): string {
  return SENTENCES[facts.explanation.nextStep.action](facts).trim();
}
