// The only place that gives a status its word, its tone and its icon.
import { formatAmount, isMore, isZero, subtractAmount } from "./amounts.ts";
import type {
  Payment,
  Refund,
  RequestLogItem,
  Settlement,
  WebhookEndpoint,
  WebhookEndpointDeliveryItem,
} from "./api/records.ts";
import type { IconName } from "./parts/icon.tsx";

/** busy goes on by itself; heed waits for a person. */
export type Tone = "good" | "busy" | "heed" | "bad" | "still";

export interface StatusWords {
  word: string;
  tone: Tone;
  icon: IconName;
}

export type PaymentFacts = Pick<
  Payment,
  "status" | "amount" | "failureCode" | "needs" | "receivedAmount" | "refundedAmount"
>;

const PART_PAID: StatusWords = { word: "Part paid", tone: "heed", icon: "part" };
const UNCLEAR: StatusWords = { word: "Unclear whose", tone: "heed", icon: "help" };

/** Of codes that say more than "Failed". */
const FAILURES: Readonly<Record<string, string>> = {
  cancelled: "Cancelled",
  reverted: "Failed: transaction reverted",
  recipient_mismatch: "Failed: other recipient",
  wrong_token: "Failed: wrong token",
  predates_payment: "Failed: older transfer",
  transfer_already_used: "Failed: used already",
  not_found: "Failed: not found",
  payer_mismatch: "Failed: other payer",
  replaced: "Failed: replaced",
  reorged: "Failed: removed from the chain",
};

function describeConfirmed(facts: PaymentFacts): StatusWords {
  const { amount, receivedAmount, refundedAmount } = facts;
  const good = { tone: "good", icon: "check" } as const;
  if (refundedAmount && !isZero(refundedAmount)) {
    return { ...good, word: `Confirmed, ${formatAmount(refundedAmount)} returned` };
  }
  if (receivedAmount && isMore(receivedAmount, amount)) {
    const surplus = subtractAmount(receivedAmount, amount);
    return { ...good, word: `Confirmed, ${formatAmount(surplus)} too much` };
  }
  return { ...good, word: "Confirmed" };
}

function describeEnded({ failureCode, status }: PaymentFacts): StatusWords {
  if (failureCode === "ambiguous") return UNCLEAR;
  if (failureCode === "late") return { word: "Paid late", tone: "heed", icon: "clock" };
  if (failureCode === "underpaid") {
    return status === "expired" ? { ...PART_PAID, word: "Part paid, time over" } : PART_PAID;
  }
  if (failureCode === "cancelled") return { word: "Cancelled", tone: "still", icon: "cross" };
  if (status === "expired") return { word: "Expired", tone: "still", icon: "clock" };
  return { word: FAILURES[failureCode ?? ""] ?? "Failed", tone: "bad", icon: "cross" };
}

export function describePayment(facts: PaymentFacts): StatusWords {
  const { status, needs, receivedAmount } = facts;
  if (needs === "payer_signature") return { word: "Needs a signature", tone: "heed", icon: "pen" };
  if (needs === "review") return { word: "In review", tone: "heed", icon: "warning" };
  if (status === "confirmed") return describeConfirmed(facts);
  if (status === "refunded") return { word: "Refunded", tone: "still", icon: "back" };
  if (status === "failed" || status === "expired") return describeEnded(facts);
  if (status === "processing") return { word: "Confirming", tone: "busy", icon: "busy" };
  if (receivedAmount && !isZero(receivedAmount)) return PART_PAID;
  return { word: "Awaiting payment", tone: "still", icon: "waiting" };
}

const REFUNDS: Record<Refund["status"], StatusWords> = {
  created: { word: "To sign", tone: "heed", icon: "pen" },
  completed: { word: "Returned", tone: "good", icon: "check" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
};

const CONFIRMING: StatusWords = { word: "Confirming", tone: "busy", icon: "busy" };

type RefundFacts = Pick<
  Refund,
  "status" | "submittedTxHash" | "needs" | "heldReason" | "failureReason" | "transaction"
>;

const SENDING: StatusWords = { word: "Sending", tone: "busy", icon: "busy" };

/** What holds it up is said before who signs: neither a wallet nor the service can go on with it. */
export function describeRefund(facts: RefundFacts): StatusWords {
  const { status, submittedTxHash, needs, heldReason, failureReason } = facts;
  if (status === "failed") return describeFailed(failureReason);
  if (status === "created") {
    if (needs === "destination") return { word: "Needs a wallet", tone: "heed", icon: "help" };
    if (heldReason) return { word: "On hold", tone: "heed", icon: "warning" };
    if (submittedTxHash) return CONFIRMING;
    // The service signs it itself.
    if (facts.transaction === null) return SENDING;
  }
  return REFUNDS[status];
}

const SETTLEMENTS: Record<Settlement["status"], StatusWords> = {
  requested: { word: "To approve", tone: "heed", icon: "clock" },
  approved: { word: "To sign", tone: "heed", icon: "pen" },
  completed: { word: "Settled", tone: "good", icon: "check" },
  failed: { word: "Failed", tone: "bad", icon: "cross" },
};

export function describeSettlement({
  status,
  txHash,
  heldReason,
  failureReason,
  transaction,
}: Pick<
  Settlement,
  "status" | "txHash" | "heldReason" | "failureReason" | "transaction"
>): StatusWords {
  if (status === "failed") return describeFailed(failureReason);
  if (status !== "approved") return SETTLEMENTS[status];
  if (heldReason) return { word: "On hold", tone: "heed", icon: "warning" };
  if (txHash) return CONFIRMING;
  return transaction === null ? SENDING : SETTLEMENTS[status];
}

/** Of a refund or a settlement. */
function describeFailed(reason: string | null | undefined): StatusWords {
  if (reason === "cancelled") return { word: "Cancelled", tone: "still", icon: "cross" };
  if (reason === "rejected") return { word: "Rejected", tone: "still", icon: "cross" };
  if (reason === "timeout") return { word: "Failed: not signed", tone: "bad", icon: "clock" };
  return { word: FAILURES[reason ?? ""] ?? "Failed", tone: "bad", icon: "cross" };
}

/** A finished delivery reads as the endpoint's last answer. */
export function describeDelivery({
  state,
  attempts,
}: Pick<WebhookEndpointDeliveryItem, "state" | "attempts">): StatusWords {
  const answer = attempts.at(-1)?.statusCode;
  const word = answer ? String(answer) : "No answer";
  switch (state) {
    case "delivered":
      return { word, tone: "good", icon: "check" };
    case "failed":
      return { word, tone: "bad", icon: "cross" };
    case "parked":
      return { word: "Parked", tone: "heed", icon: "clock" };
    case "pending":
      return { word: attempts.length === 0 ? "Waiting" : "Retrying", tone: "busy", icon: "busy" };
  }
}

/** Of the API, by its status. */
export function describeRequest({ statusCode }: Pick<RequestLogItem, "statusCode">): StatusWords {
  const word = String(statusCode);
  if (statusCode >= 500) return { word, tone: "bad", icon: "cross" };
  if (statusCode >= 400) return { word, tone: "heed", icon: "warning" };
  return { word, tone: "good", icon: "check" };
}

export function describeEndpoint({
  enabled,
  disabledReason,
  url,
}: Pick<WebhookEndpoint, "enabled" | "disabledReason" | "url">): StatusWords {
  if (url === null) return { word: "No address", tone: "still", icon: "waiting" };
  if (disabledReason !== null) return { word: "Failing, disabled", tone: "bad", icon: "cross" };
  if (!enabled) return { word: "Disabled", tone: "still", icon: "cross" };
  return { word: "Receives", tone: "good", icon: "check" };
}
