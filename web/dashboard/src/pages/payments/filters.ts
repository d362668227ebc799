// Filters of the list of payments in words; which there are, the API's document says.
import { paymentFilters } from "../../api/filters.ts";
import * as controls from "../../parts/filters/controls.ts";

export type Filters = { [name in keyof typeof paymentFilters | "after"]?: string | undefined };

const WORDS: controls.FilterWords<typeof paymentFilters> = {
  status: {
    label: "Status",
    values: {
      created: "Awaiting payment",
      pending: "Awaiting payment, submitted",
      processing: "Confirming",
      confirmed: "Confirmed",
      failed: "Failed",
      expired: "Expired",
      refunded: "Refunded",
    },
  },
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

export const NO_FILTERS: Filters = Object.fromEntries(
  Object.keys(paymentFilters).map((name) => [name, undefined]),
);

export function parseFilters(search: Record<string, unknown>): Filters {
  return controls.parseFilters(paymentFilters, search);
}

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

export function countFilters(filters: Filters): number {
  return CONTROLS.filter((control) => controls.isSet(control, filters)).length;
}

/** Named addresses of the list. */
export const VIEWS: readonly { name: string; status: string | undefined }[] = [
  { name: "All", status: undefined },
  { name: "Awaiting payment", status: "created,pending" },
  { name: "Confirming", status: "processing" },
  { name: "Confirmed", status: "confirmed" },
  { name: "Refunded", status: "refunded" },
  { name: "Expired and failed", status: "expired,failed" },
];

const SHOWN = [
  "chainId",
  "orderId",
  "payerAddress",
  "customer",
  "receivedAmount",
  "refundedAmount",
  "failureCode",
  "needs",
];
const ROWS_MAX = 50;

export function buildListPath(filters: Filters): string {
  const query = new URLSearchParams({ limit: String(ROWS_MAX), expand: SHOWN.join(",") });
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query.set(name, value);
  }
  return `/v1/payments?${query}`;
}
