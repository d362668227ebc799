import type { Refund } from "@pay/proto";
import { toChainId } from "@pay/values";
import { ADDRESS, TREASURY, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, type Internal, type MessageFields, pick } from "../response-fields.ts";
import { unsignedTransaction, unsignedTransactionShape } from "../unsigned-transaction.ts";

type DestinationSource = (typeof shown.DESTINATION_SOURCES)[number];

export const REFUND_STATUSES = ["created", "completed", "failed"] as const;
const OPEN: readonly string[] = ["created"];

/** Fields that no answer shows, and fields that answers show under another name. */
type KeptBack =
  | Internal
  | "blockNumber"
  | "orderId"
  | "paymentBaseAmount"
  | "refundedBaseAmount"
  | "paymentConfirmedAt"
  | "payoutWallets"
  | "paidFrom"
  | "serviceSigned"
  | "declared"
  | "reservedBaseAmount"
  | "surplusRefundedBaseAmount";

const FIELDS = {
  id: { schema: shown.id("refund"), of: (r) => r.id },
  paymentId: { schema: shown.paymentId, of: (r) => r.paymentId },
  amount: { schema: shown.amount, of: (r) => r.amount },
  status: {
    schema: shown.choice(REFUND_STATUSES, "Status; the guide explains each value.", "created"),
    of: (r) => r.status,
  },
  reason: {
    schema: shown.stringOrNull("Free text; null without one.", "One mug was broken"),
    of: (r) => r.reason ?? null,
  },
  // Only there once the chain has proven the refund.
  txHash: {
    schema: shown.string("Transaction hash, once the transaction is verified.", TX_HASH).optional(),
    of: (r) => (r.completedAt === undefined ? undefined : r.txHash),
  },
  createdAt: { schema: shown.createdAt, of: (r) => shown.isoTime(r.createdAt) },
  failureReason: { schema: shown.failureReason, of: (r) => r.failureReason ?? null },
  chainId: { schema: shown.chainId, of: (r) => toChainId(r.chainId) },
  currency: { schema: shown.currency, of: (r) => r.currency },
  sourceAddress: {
    schema: shown.string("Wallet that sends the money.", TREASURY),
    of: (r) => r.sourceAddress,
  },
  destinationAddress: {
    schema: shown.stringOrNull(
      "Wallet that receives the money; null while the refund needs one.",
      ADDRESS,
    ),
    of: (r) => r.destinationAddress || null,
  },
  destinationSource: {
    schema: shown.destinationSource,
    of: (r) => (r.destinationSource as DestinationSource | undefined) ?? null,
  },
  requestedBy: { schema: shown.requestedBy, of: (r) => r.requestedBy ?? null },
  needs: {
    schema: shown.stringOrNull("`destination` while the refund waits for one; null otherwise."),
    of: (r) => (OPEN.includes(r.status) ? (r.needs ?? null) : null),
  },
  surplus: {
    schema: shown.boolean("Whether it refunds what was received beyond the payment's amount."),
    of: (r) => r.surplus,
  },
  completedAt: { schema: shown.completedAt, of: (r) => shown.isoTime(r.completedAt) },
  heldReason: {
    schema: shown.stringOrNull(
      "Reason why a transaction that moved the money does not count, or `payment_reorged`; null otherwise.",
    ),
    of: (r) => r.heldReason ?? null,
  },
  submittedTxHash: {
    schema: shown.stringOrNull("Transaction hash under verification; null without one."),
    of: (r) => r.txHash ?? null,
  },
  transaction: {
    schema: unsignedTransactionShape.describe("Unsigned transaction for the wallet."),
    // The money of the payment, or the wallet that gets it, is not there yet.
    of: (r) =>
      r.heldReason === "payment_reorged" || r.destinationAddress === ""
        ? null
        : unsignedTransaction(r),
  },
} satisfies MessageFields<Refund, KeptBack>;

type Field = keyof typeof FIELDS;

const CREATED = [
  "id",
  "paymentId",
  "amount",
  "status",
  "reason",
  "createdAt",
] as const satisfies readonly Field[];
const READ = [
  "id",
  "paymentId",
  "amount",
  "status",
  "txHash",
  "createdAt",
] as const satisfies readonly Field[];
const ITEM = ["id", "status", "amount"] as const satisfies readonly Field[];

/** Fields that an answer shows only when the request names them. */
export const REFUND_EXTRAS = [
  "reason",
  "failureReason",
  "heldReason",
  "chainId",
  "currency",
  "sourceAddress",
  "destinationAddress",
  "destinationSource",
  "requestedBy",
  "needs",
  "surplus",
  "completedAt",
  "submittedTxHash",
  "transaction",
] as const satisfies readonly Field[];
export const REFUND_ITEM_EXTRAS = [
  "paymentId",
  "createdAt",
  ...REFUND_EXTRAS,
] as const satisfies readonly Field[];

type Extra = (typeof REFUND_EXTRAS)[number];
type ItemExtra = (typeof REFUND_ITEM_EXTRAS)[number];

/** Those of them that a shopper's session may ask for: nothing that the merchant stores about the refund. */
export const REFUND_EXTRAS_OF_SESSIONS = [
  "chainId",
  "currency",
  "destinationAddress",
  "completedAt",
  "submittedTxHash",
] as const satisfies readonly Extra[];
export const REFUND_ITEM_EXTRAS_OF_SESSIONS = [
  "paymentId",
  "createdAt",
  ...REFUND_EXTRAS_OF_SESSIONS,
] as const satisfies readonly ItemExtra[];

export function renderCreatedRefund(refund: Refund, extras: readonly Extra[] = []) {
  return pick(FIELDS, CREATED, refund, extras);
}

export function renderRefund(refund: Refund, extras: readonly Extra[] = []) {
  return pick(FIELDS, READ, refund, extras);
}

export function renderRefundItem(refund: Refund, extras: readonly ItemExtra[] = []) {
  return pick(FIELDS, ITEM, refund, extras);
}

export const createdRefund = buildShape("CreatedRefund", FIELDS, CREATED, REFUND_EXTRAS);
export const readRefund = buildShape("Refund", FIELDS, READ, REFUND_EXTRAS);
export const refundItem = buildShape("RefundItem", FIELDS, ITEM, REFUND_ITEM_EXTRAS);
