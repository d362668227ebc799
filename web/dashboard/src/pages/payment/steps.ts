import type { PaymentTimeline } from "../../api/records.ts";
import type { IconName } from "../../parts/icon.tsx";
import type { Tone } from "../../status-words.ts";

interface StepWords {
  word: string;
  tone: Tone;
  icon: IconName;
}

/** Steps of a payment as its page words them. */
const STEPS: Record<PaymentTimeline["event"], StepWords> = {
  created: { word: "Created", tone: "still", icon: "waiting" },
  payer_declared: { word: "Wallet declared", tone: "busy", icon: "wallet" },
  extended: { word: "Time limit extended", tone: "still", icon: "clock" },
  transaction_submitted: { word: "Transaction submitted", tone: "busy", icon: "send" },
  transaction_refuted: { word: "Transaction does not count", tone: "bad", icon: "cross" },
  part_received: { word: "A part arrived", tone: "heed", icon: "arrived" },
  confirmed: { word: "Confirmed", tone: "good", icon: "check" },
  transaction_reorged: { word: "Block removed by the network", tone: "bad", icon: "warning" },
  screened: { word: "Screening named the wallet", tone: "heed", icon: "warning" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
  expired: { word: "The time to pay ended", tone: "heed", icon: "clock" },
  paid_late: { word: "Paid late", tone: "heed", icon: "clock" },
  late_accepted: { word: "Accepted by the shop", tone: "good", icon: "check" },
  late_rejected: { word: "Not accepted by the shop", tone: "heed", icon: "cross" },
  surplus_received: { word: "More than due arrived", tone: "heed", icon: "arrived" },
  refunded_in_part: { word: "A part was returned", tone: "still", icon: "back" },
  refunded: { word: "Returned", tone: "still", icon: "back" },
  surplus_refunded: { word: "The surplus was returned", tone: "still", icon: "back" },
  refund_undone: { word: "A refund was undone", tone: "bad", icon: "warning" },
};

const CANCELLED: StepWords = { word: "Cancelled by the shop", tone: "still", icon: "cross" };

export function describeStep({ event, reason }: PaymentTimeline): StepWords {
  return reason === "cancelled" ? CANCELLED : STEPS[event];
}

/** Stays in sight whether evidence is folded or not. */
export const WARNINGS: ReadonlySet<PaymentTimeline["event"]> = new Set([
  "transaction_reorged",
  "refund_undone",
]);
