import type { Settlement } from "@pay/proto";
import { toChainId } from "@pay/values";
import { ADDRESS, KEY_ID, TREASURY } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, type Internal, type MessageFields, pick } from "../response-fields.ts";
import { unsignedTransaction, unsignedTransactionShape } from "../unsigned-transaction.ts";

export const SETTLEMENT_STATUSES = ["requested", "approved", "completed", "failed"] as const;

/** Fields that no answer shows, and fields that answers show under another name. */
type KeptBack = Internal | "metadataJson" | "serviceSigned";

const FIELDS = {
  id: { schema: shown.id("stl"), of: (s) => s.id },
  status: {
    schema: shown.choice(
      SETTLEMENT_STATUSES,
      "Status; the guide explains each value.",
      "requested",
    ),
    of: (s) => s.status,
  },
  chainId: { schema: shown.chainId, of: (s) => toChainId(s.chainId) },
  currency: { schema: shown.currency, of: (s) => s.currency },
  amount: { schema: shown.amount, of: (s) => s.amount },
  sourceAddress: {
    schema: shown.string("Wallet that sends the money.", ADDRESS),
    of: (s) => s.sourceAddress,
  },
  destinationAddress: {
    schema: shown.string("Wallet that receives the money.", TREASURY),
    of: (s) => s.destinationAddress,
  },
  txHash: { schema: shown.txHash, of: (s) => s.txHash ?? null },
  blockNumber: {
    schema: shown.blockNumber,
    of: (s) => (s.blockNumber === undefined ? null : Number(s.blockNumber)),
  },
  failureReason: { schema: shown.failureReason, of: (s) => s.failureReason ?? null },
  requestedBy: {
    schema: shown.string("Id of the key or member that requested it.", KEY_ID),
    of: (s) => s.requestedBy,
  },
  approvedBy: {
    schema: shown.stringOrNull(
      "Id of the key or member that approved it; null before the approval.",
    ),
    of: (s) => s.approvedBy ?? null,
  },
  metadata: { schema: shown.metadata, of: (s) => shown.toMetadata(s.metadataJson) },
  createdAt: { schema: shown.createdAt, of: (s) => shown.isoTime(s.createdAt) },
  approvedAt: {
    schema: shown.timeOrNull("Time of the approval; null before it."),
    of: (s) => shown.isoTime(s.approvedAt),
  },
  completedAt: { schema: shown.completedAt, of: (s) => shown.isoTime(s.completedAt) },
  heldReason: { schema: shown.heldReason, of: (s) => s.heldReason ?? null },
  transaction: {
    schema: unsignedTransactionShape.describe("Unsigned transaction for the wallet."),
    of: unsignedTransaction,
  },
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

export const settlementShape = buildShape("Settlement", FIELDS, READ, SETTLEMENT_EXTRAS);
