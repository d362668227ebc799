import type { Refund } from "@pay/proto";
import { z } from "zod";
import { refundTransaction } from "./refund-transaction.ts";
import { isoTime, isoTimeShape, pick, shapeOf } from "./shape.ts";

export const REFUND_STATUSES = ["created", "completed", "failed"] as const;

const textOrNull = z.string().nullable();

const FIELDS = {
  id: { schema: z.string(), of: (r: Refund) => r.id },
  paymentId: { schema: z.string(), of: (r: Refund) => r.paymentId },
  amount: { schema: z.string(), of: (r: Refund) => r.amount },
  status: { schema: z.enum(REFUND_STATUSES), of: (r: Refund) => r.status },
  reason: { schema: textOrNull, of: (r: Refund) => r.reason ?? null },
  // Only there once the chain has proven the refund.
  txHash: {
    schema: z.string().optional(),
    of: (r: Refund) => (r.completedAt === undefined ? undefined : r.txHash),
  },
  createdAt: { schema: isoTimeShape, of: (r: Refund) => isoTime(r.createdAt) },
  failureReason: { schema: textOrNull, of: (r: Refund) => r.failureReason ?? null },
  chainId: { schema: z.int(), of: (r: Refund) => Number(r.chainId) },
  currency: { schema: z.string(), of: (r: Refund) => r.currency },
  sourceAddress: { schema: z.string(), of: (r: Refund) => r.sourceAddress },
  destinationAddress: { schema: z.string(), of: (r: Refund) => r.destinationAddress },
  completedAt: { schema: isoTimeShape.nullable(), of: (r: Refund) => isoTime(r.completedAt) },
  submittedTxHash: { schema: textOrNull, of: (r: Refund) => r.txHash ?? null },
  transaction: {
    schema: z.strictObject({
      chainId: z.int(),
      from: z.string(),
      to: z.string(),
      value: z.string(),
      data: z.string(),
    }),
    of: refundTransaction,
  },
};

const CREATED = ["id", "paymentId", "amount", "status", "reason", "createdAt"];
const READ = ["id", "paymentId", "amount", "status", "txHash", "createdAt"];
const ITEM = ["id", "status", "amount"];

/** What an answer shows besides, when it is asked for. */
export const REFUND_EXTRAS = [
  "reason",
  "failureReason",
  "chainId",
  "currency",
  "sourceAddress",
  "destinationAddress",
  "completedAt",
  "submittedTxHash",
  "transaction",
] as const;
export const REFUND_ITEM_EXTRAS = ["paymentId", "createdAt", ...REFUND_EXTRAS] as const;

export const renderCreatedRefund = (refund: Refund, extras: readonly string[] = []) =>
  pick(FIELDS, CREATED, refund, extras);
export const renderRefund = (refund: Refund, extras: readonly string[] = []) =>
  pick(FIELDS, READ, refund, extras);
export const renderRefundItem = (refund: Refund, extras: readonly string[] = []) =>
  pick(FIELDS, ITEM, refund, extras);

export const createdRefund = shapeOf(FIELDS, CREATED, REFUND_EXTRAS);
export const readRefund = shapeOf(FIELDS, READ, REFUND_EXTRAS);
export const refundItem = shapeOf(FIELDS, ITEM, REFUND_ITEM_EXTRAS);
