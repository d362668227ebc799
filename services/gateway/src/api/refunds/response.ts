import type { Refund } from "@pay/proto";
import { toChainId } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape, textOrNull } from "../field-values.ts";
import { buildShape, type Internal, type MessageFields, pick } from "../response-fields.ts";
import { unsignedTransaction, unsignedTransactionShape } from "../unsigned-transaction.ts";

export const REFUND_STATUSES = ["created", "completed", "failed"] as const;

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
  | "serviceSigned";

const FIELDS = {
  id: { schema: z.string(), of: (r) => r.id },
  paymentId: { schema: z.string(), of: (r) => r.paymentId },
  amount: { schema: z.string(), of: (r) => r.amount },
  status: { schema: z.enum(REFUND_STATUSES), of: (r) => r.status },
  reason: { schema: textOrNull, of: (r) => r.reason ?? null },
  // Only there once the chain has proven the refund.
  txHash: {
    schema: z.string().optional(),
    of: (r) => (r.completedAt === undefined ? undefined : r.txHash),
  },
  createdAt: { schema: isoTimeShape, of: (r) => isoTime(r.createdAt) },
  failureReason: { schema: textOrNull, of: (r) => r.failureReason ?? null },
  chainId: { schema: z.int(), of: (r) => toChainId(r.chainId) },
  currency: { schema: z.string(), of: (r) => r.currency },
  sourceAddress: { schema: z.string(), of: (r) => r.sourceAddress },
  destinationAddress: { schema: z.string(), of: (r) => r.destinationAddress },
  completedAt: { schema: isoTimeShape.nullable(), of: (r) => isoTime(r.completedAt) },
  heldReason: { schema: textOrNull, of: (r) => r.heldReason ?? null },
  submittedTxHash: { schema: textOrNull, of: (r) => r.txHash ?? null },
  transaction: {
    schema: unsignedTransactionShape,
    of: unsignedTransaction,
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

export const createdRefund = buildShape(FIELDS, CREATED, REFUND_EXTRAS);
export const readRefund = buildShape(FIELDS, READ, REFUND_EXTRAS);
export const refundItem = buildShape(FIELDS, ITEM, REFUND_ITEM_EXTRAS);
