// Filters of the list of payments in words; which there are, the API's document says.
import { paymentFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";
import type { View } from "../../parts/list/list-page.tsx";
import { PAYMENT_STATUSES } from "../../parts/payment-cells.tsx";

export type Filters = controls.FilterSearch<typeof paymentFilters>;

const WORDS: controls.FilterWords<typeof paymentFilters> = {
  status: { label: "Status", values: PAYMENT_STATUSES },
  created: { label: "Created" },
  amount: { label: "Amount" },
  chainId: { label: "Network" },
  currency: { label: "Token" },
  payerAddress: { label: "Payer", hint: "Wallet that paid, or that was declared" },
  orderId: { label: "Order", hint: "As your shop sent it" },
  txHash: { label: "Transaction hash", hint: "0x and 64 digits" },
  customerId: { label: "Customer", hint: "Id that begins with cust_" },
  recipientAddress: { label: "Recipient wallet", hint: "Address that was paid" },
  failureCode: {
    label: "Failed because",
    values: {
      underpaid: "Part paid",
      late: "Paid late",
      ambiguous: "Unclear whose",
      cancelled: "Cancelled",
      reverted: "Transaction reverted",
      recipient_mismatch: "Other recipient",
      wrong_token: "Wrong token",
      predates_payment: "Older transfer",
      transfer_already_used: "Used already",
      replaced: "Replaced",
      not_found: "Not found",
      reorged: "Removed from the chain",
    },
  },
  needs: {
    label: "Waits for",
    values: { payer_signature: "A signature of the payer", review: "Your review" },
  },
  refunded: { label: "Money returned", values: { true: "Yes", false: "No" } },
  source: { label: "Made by", values: { api: "Your shop", dashboard: "A person" } },
};

export const CONTROLS = controls.listControls(paymentFilters, WORDS);

/** Always in sight; the others are behind More. */
export const FIRST = ["created", "status", "amount", "chainId", "payerAddress"];

/** Filters that the API looks for in the last 30 days, unless the list has a beginning. */
const RECENT: readonly (keyof Filters)[] = [
  "amountFrom",
  "amountTo",
  "currency",
  "recipientAddress",
  "failureCode",
  "refunded",
];

export function isOfLastDays(filters: Filters): boolean {
  const isRecent = filters.source === "api" || RECENT.some((name) => filters[name] !== undefined);
  return isRecent && filters.createdFrom === undefined;
}

/** Named addresses of the list. */
export const VIEWS: readonly View[] = [
  { name: "All", filters: { status: undefined } },
  { name: "Awaiting payment", filters: { status: "created,pending" } },
  { name: "Confirming", filters: { status: "processing" } },
  { name: "Confirmed", filters: { status: "confirmed" } },
  { name: "Refunded", filters: { status: "refunded" } },
  { name: "Expired and failed", filters: { status: "expired,failed" } },
];

export const SHOWN = [
  "chainId",
  "orderId",
  "payerAddress",
  "customer",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
];
