// What waits, in words: a title, a sentence that says what can be done, and a group of the page.
import { formatAmount } from "../../amounts.ts";
import type { NeedItem } from "../../api/records.ts";
import type { IconName } from "../../parts/icon.tsx";
import { shortenId } from "../../parts/id.tsx";
import type { Tone } from "../../status-words.ts";
import { formatMonth } from "../reports/months.ts";

export type Kind = NeedItem["kind"];

export const GROUPS: readonly { title: string; kinds: readonly Kind[] }[] = [
  {
    title: "Waiting for a decision",
    kinds: [
      "part",
      "late",
      "ambiguous",
      "review",
      "wrong_token",
      "unmatched_transfer",
      "refund_destination",
    ],
  },
  {
    title: "Waiting for a signature",
    kinds: ["refund_signature", "settlement_approval", "settlement_signature"],
  },
  { title: "Books", kinds: ["book_difference"] },
  { title: "Integrations", kinds: ["endpoint_failing", "endpoint_disabled"] },
];

export const LOOKS: Readonly<Record<Kind, { icon: IconName; tone: Tone; act: string }>> = {
  part: { icon: "part", tone: "heed", act: "Decide" },
  late: { icon: "clock", tone: "heed", act: "Decide" },
  ambiguous: { icon: "fork", tone: "heed", act: "Decide" },
  review: { icon: "warning", tone: "heed", act: "Review" },
  wrong_token: { icon: "coins", tone: "heed", act: "Decide" },
  unmatched_transfer: { icon: "fork", tone: "heed", act: "Assign" },
  refund_destination: { icon: "back", tone: "heed", act: "Decide" },
  refund_signature: { icon: "pen", tone: "busy", act: "Sign" },
  settlement_approval: { icon: "approve", tone: "busy", act: "Review" },
  settlement_signature: { icon: "pen", tone: "busy", act: "Sign" },
  book_difference: { icon: "reports", tone: "heed", act: "Open month" },
  endpoint_failing: { icon: "webhooks", tone: "bad", act: "Open log" },
  endpoint_disabled: { icon: "webhooks", tone: "bad", act: "Open log" },
};

interface Words {
  title: string;
  text: string;
}

export interface Facts {
  need: NeedItem;
  symbol: string;
  /** Id of the member who looks. */
  me: string;
}

function nameOrder({ orderId, paymentId, id }: NeedItem): string {
  return orderId === null ? `Payment ${shortenId(paymentId ?? id)}` : `Order ${orderId}`;
}

function nameAmount({ need: { amount }, symbol }: Facts): string {
  return `${formatAmount(amount ?? "0")} ${symbol}`;
}

/** Of another member, or a key. */
function nameRequester({ need: { requestedBy }, me }: Facts): string | undefined {
  if (requestedBy === null) return undefined;
  return requestedBy.id === me ? "you" : (requestedBy.name ?? shortenId(requestedBy.id));
}

function nameHost({ detail, id }: NeedItem): string {
  return URL.parse(detail ?? "")?.host ?? shortenId(id);
}

const TRANSFERS: Readonly<Record<string, (amount: string) => Words>> = {
  several_fit: (amount) => ({
    title: `${amount} fits several open orders`,
    text: "No wallet has signed. The shoppers see how to show that it is theirs, or you assign it.",
  }),
  more_than_due: (amount) => ({
    title: `${amount} came for an order that is paid`,
    text: "It is in your wallet and pays nothing. Assign it or return it.",
  }),
  held: (amount) => ({
    title: `${amount} names no order`,
    text: "Your project takes no transfer by its amount alone. Assign it or return it.",
  }),
  late: (amount) => ({
    title: `${amount} came after the time to pay`,
    text: "It is in your wallet and pays nothing. Assign it or return it.",
  }),
  named_elsewhere: (amount) => ({
    title: `${amount} names an order that it cannot pay`,
    text: "The order is due at another wallet, or in another currency. Assign it or return it.",
  }),
  wrong_currency: (amount) => ({
    title: `${amount} came in another currency than is due`,
    text: "It is at the deposit address of an order. Sweep it to your wallet, then return it.",
  }),
  unknown_reference: (amount) => ({
    title: `${amount} names an order that nobody knows`,
    text: "It is in your wallet and pays nothing. Assign it or return it.",
  }),
  no_payment: (amount) => ({
    title: `${amount} came without an order`,
    text: "It is in your wallet and pays nothing. Assign it or return it.",
  }),
};

function describeSettlement(facts: Facts, { ask, text }: { ask: string; text: string }): Words {
  const who = nameRequester(facts);
  return {
    title: `${ask} to ${shortenId(facts.need.detail ?? "")}`,
    text: who === undefined ? text : `Asked for by ${who}. ${text}`,
  };
}

const WORDS: Readonly<Record<Kind, (facts: Facts) => Words>> = {
  part: ({ need }) => ({
    title: `${nameOrder(need)}: ${formatAmount(need.receivedAmount ?? "0")} of ${formatAmount(need.amount ?? "0")} arrived`,
    text: "The time to pay is over. Ask for the rest, accept it, or return it.",
  }),
  late: ({ need }) => ({
    title: `${nameOrder(need)}: paid late`,
    text: "The money came after the time to pay. Accept it or return it.",
  }),
  ambiguous: ({ need }) => ({
    title: `${nameOrder(need)}: unclear whose money it is`,
    text: "A transfer fits more than one order, and no wallet has signed. Assign it.",
  }),
  review: ({ need }) => ({
    title: `${nameOrder(need)}: in review`,
    text: "Its screening named the wallet, or no provider can trace the money. Open it to decide.",
  }),
  wrong_token: ({ need }) => ({
    title: `${nameOrder(need)}: another token came`,
    text: "It is in your wallet and pays no order. Return it.",
  }),
  unmatched_transfer: (facts) =>
    (TRANSFERS[facts.need.detail ?? ""] ?? (TRANSFERS.no_payment as (amount: string) => Words))(
      nameAmount(facts),
    ),
  refund_destination: ({ need }) => ({
    title: `Refund of ${nameOrder(need)}: no destination`,
    text: "The wallet that paid cannot receive it. Name another one.",
  }),
  refund_signature: (facts) => {
    const who = nameRequester(facts);
    const { detail } = facts.need;
    const reason = detail === null ? "" : ` “${detail}”`;
    return {
      title: `Refund of ${nameOrder(facts.need)}`,
      text:
        who === undefined ? `Sign it with your wallet.${reason}` : `Asked for by ${who}.${reason}`,
    };
  },
  settlement_approval: (facts) =>
    describeSettlement(facts, {
      ask: "Settlement",
      text:
        facts.need.requestedBy?.id === facts.me
          ? "Someone else approves it."
          : "You may approve it.",
    }),
  settlement_signature: (facts) =>
    describeSettlement(facts, {
      ask: "Approved settlement",
      text: "Sign it with the wallet that pays.",
    }),
  book_difference: ({ need: { amount, detail }, symbol }) => ({
    title: `The chain has ${formatAmount((amount ?? "0").replace("-", ""))} ${symbol} ${
      amount?.startsWith("-") ? "less" : "more"
    } than the records`,
    text: `In a wallet in ${formatMonth(detail ?? "")}. Look at the month; a note closes the difference.`,
  }),
  endpoint_failing: ({ need }) => ({
    title: `${nameHost(need)} does not take webhooks`,
    text: `${need.failures ?? 0} deliveries failed in a row. Nothing is lost: resend them when it is back.`,
  }),
  endpoint_disabled: ({ need }) => ({
    title: `${nameHost(need)} was disabled`,
    text: "It failed for three days. Enable it when it is back, then resend what it missed.",
  }),
};

export function describeNeed(facts: Facts): Words {
  return WORDS[facts.need.kind](facts);
}
