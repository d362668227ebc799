import type { Settlement } from "@pay/proto";
import { toChainId } from "@pay/values";
import { z } from "zod";
import { isoTime, isoTimeShape, metadataShape, textOrNull, toMetadata } from "../field-values.ts";
import { buildShape, type Internal, type MessageFields, pick } from "../response-fields.ts";
import { unsignedTransaction, unsignedTransactionShape } from "../unsigned-transaction.ts";

export const SETTLEMENT_STATUSES = ["requested", "approved", "completed", "failed"] as const;

/** Fields that no answer shows, and fields that answers show under another name. */
type KeptBack = Internal | "metadataJson" | "serviceSigned";

const FIELDS = {
  id: { schema: z.string(), of: (s) => s.id },
  status: { schema: z.enum(SETTLEMENT_STATUSES), of: (s) => s.status },
  chainId: { schema: z.int(), of: (s) => toChainId(s.chainId) },
  currency: { schema: z.string(), of: (s) => s.currency },
  amount: { schema: z.string(), of: (s) => s.amount },
  sourceAddress: { schema: z.string(), of: (s) => s.sourceAddress },
  destinationAddress: { schema: z.string(), of: (s) => s.destinationAddress },
  txHash: { schema: textOrNull, of: (s) => s.txHash ?? null },
  blockNumber: {
    schema: z.int().nullable(),
    of: (s) => (s.blockNumber === undefined ? null : Number(s.blockNumber)),
  },
  failureReason: { schema: textOrNull, of: (s) => s.failureReason ?? null },
  requestedBy: { schema: z.string(), of: (s) => s.requestedBy },
  approvedBy: { schema: textOrNull, of: (s) => s.approvedBy ?? null },
  metadata: { schema: metadataShape, of: (s) => toMetadata(s.metadataJson) },
  createdAt: { schema: isoTimeShape, of: (s) => isoTime(s.createdAt) },
  approvedAt: { schema: isoTimeShape.nullable(), of: (s) => isoTime(s.approvedAt) },
  completedAt: { schema: isoTimeShape.nullable(), of: (s) => isoTime(s.completedAt) },
  heldReason: { schema: textOrNull, of: (s) => s.heldReason ?? null },
  transaction: { schema: unsignedTransactionShape, of: unsignedTransaction },
} satisfies MessageFields<Settlement, KeptBack>;

type Field = keyof typeof FIELDS;

const READ = [
  "id",
  "status",
  "chainId",
  "currency",
  "amount",
  "sourceAddress",
  "destinationAddress",
  "txHash",
  "blockNumber",
  "failureReason",
  "requestedBy",
  "approvedBy",
  "metadata",
  "createdAt",
  "approvedAt",
  "completedAt",
] as const satisfies readonly Field[];

/** Fields that an answer shows only when the request names them. */
export const SETTLEMENT_EXTRAS = ["heldReason", "transaction"] as const satisfies readonly Field[];

export function renderSettlement(
  settlement: Settlement,
  extras: readonly (typeof SETTLEMENT_EXTRAS)[number][] = [],
) {
  return pick(FIELDS, READ, settlement, extras);
}

export const settlementShape = buildShape(FIELDS, READ, SETTLEMENT_EXTRAS);
