import type { TransferItem } from "../../api/records.ts";
import type { StatusWords } from "../../status-words.ts";

const REASONS: Readonly<Record<NonNullable<TransferItem["reason"]>, string>> = {
  several_fit: "Fits several payments",
  more_than_due: "More than due",
  own_wallet: "From your own wallet",
  held: "Held for you",
  dust: "Dust",
  late: "Too late",
  no_payment: "No payment fits",
  named_elsewhere: "Names another order",
  unknown_reference: "Names no known order",
  wrong_currency: "In another currency",
  payout: "From a payout wallet",
  sweep: "From a deposit address",
};

/** Of those it is known that nobody has to do anything. */
const STILL: ReadonlySet<TransferItem["reason"]> = new Set([
  "dust",
  "payout",
  "sweep",
  "own_wallet",
]);

export function describeTransfer(transfer: TransferItem): StatusWords {
  const { paymentId, refundId, settlementId, reason, state } = transfer;
  if (paymentId !== null) return { word: "Pays a payment", tone: "good", icon: "check" };
  if (refundId !== null) return { word: "Pays a refund", tone: "good", icon: "check" };
  if (settlementId !== null) return { word: "Settles", tone: "good", icon: "check" };
  if (reason !== null) {
    return STILL.has(reason)
      ? { word: REASONS[reason], tone: "still", icon: "dot" }
      : { word: REASONS[reason], tone: "heed", icon: "help" };
  }
  const word = state === "final" ? "Being decided" : "Being verified";
  return { word, tone: "busy", icon: "busy" };
}

/** Whether a person may say which payment it is for. */
export function isAssignable({ paymentId, refundId, settlementId, reason }: TransferItem): boolean {
  return paymentId === null && refundId === null && settlementId === null && reason !== null;
}
