// From rows and verdicts to messages.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EventType, NewEvent } from "@pay/events";
import type {
  ArrivedTransferSchema,
  ChainSchema,
  MovementSchema,
  ObservationSchema,
  TransferSchema,
} from "@pay/proto";
import type { Needs } from "@pay/values";
import {
  type Candidate,
  needsEventId,
  type Submission,
  seenEventId,
  unprovenEventId,
  unseenEventId,
  unsentEventId,
  verdictEventId,
} from "./domain/candidate.ts";
import type { FinalVerdict, Reason } from "./domain/claim.ts";
import type { Intent, UnsentReason } from "./domain/intent.ts";
import { NATIVE } from "./domain/transfer.ts";
import type { Chain, Token } from "./generated/prisma/client.ts";
import { checksummed } from "./providers/decode.ts";
import type { Arrival } from "./storage/arrivals.ts";
import type { Movement } from "./storage/movements.ts";
import type { CountedTransfer } from "./storage/transfers.ts";

export function toChain(row: Chain & { tokens: Token[] }): MessageInitShape<typeof ChainSchema> {
  return {
    chainId: row.chain_id,
    name: row.name,
    symbol: row.symbol,
    rpcUrl: row.rpc_url,
    ...(row.block_explorer_url === null ? {} : { blockExplorerUrl: row.block_explorer_url }),
    isTestnet: row.is_testnet,
    nativeDecimals: row.native_decimals,
    tokens: row.tokens.map(({ symbol, name, address, decimals, chain_id }) => ({
      ...{ symbol, name, address: checksummed(address), decimals, chainId: chain_id },
    })),
  };
}

export function toTransfer(row: CountedTransfer): MessageInitShape<typeof TransferSchema> {
  return {
    subjectId: row.subject_id,
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksummed(row.sender),
    toAddress: checksummed(row.recipient),
    baseAmount: row.value.toString(),
    blockNumber: row.block_number,
    minedAt: timestampFromDate(row.block_time),
    ...(row.confirmed_at === null ? {} : { confirmedAt: timestampFromDate(row.confirmed_at) }),
  };
}

export function toMovement(row: Movement): MessageInitShape<typeof MovementSchema> {
  return {
    subjectId: row.subject_id,
    chainId: row.chain_id,
    currency: row.currency === NATIVE ? NATIVE : checksummed(row.currency),
    decimals: row.decimals,
    baseAmount: row.value.toString(),
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksummed(row.sender),
    toAddress: checksummed(row.recipient),
    blockNumber: row.block_number,
    minedAt: timestampFromDate(row.block_time),
    recordedAt: timestampFromDate(row.recorded_at),
  };
}

export function toArrived(
  { subject_id, reason, ...row }: Arrival,
  { id, decimals }: { id: string; decimals: number },
): MessageInitShape<typeof ArrivedTransferSchema> {
  return {
    ...{ id, chainId: row.chain_id, decimals, status: row.status },
    currency: row.currency === NATIVE ? NATIVE : checksummed(row.currency),
    transfer: toTransfer({ ...row, subject_id: subject_id ?? "" }),
    ...(reason === null ? {} : { reason }),
  };
}

/** Where a transaction was found, and under which hash. */
export interface Sighting {
  txHash: string;
  blockNumber: number;
  blockTime: Date;
}

const TYPES = {
  proven: "transfer.confirmed",
  surplus: "transfer.surplus",
  refuted: "transfer.rejected",
} as const satisfies Record<FinalVerdict["outcome"], EventType>;

type Described = Exclude<MessageInitShape<typeof ObservationSchema>, { $typeName: string }>;

/** An event of chains about the hash of a payment, refund or settlement. */
function observed(
  { claim, ...submission }: Submission,
  { id, type, at }: { id: string; type: EventType; at: Date },
  value: Described,
): NewEvent {
  const { subjectId, found } = submission;
  return {
    ...{ id, type },
    projectId: submission.projectId,
    mode: submission.mode,
    resourceId: subjectId,
    sequence: submission.attempt,
    occurredAt: timestampFromDate(at),
    requestId: submission.requestId,
    resource: {
      case: "observation",
      value: {
        ...{ subjectId, found },
        chainId: BigInt(submission.chainId),
        recipientAddress: claim.recipient,
        currency: claim.currency,
        ...value,
      },
    },
  };
}

function placeOf({ blockNumber, blockTime }: Sighting): Described {
  return { blockNumber: BigInt(blockNumber), blockTime: timestampFromDate(blockTime) };
}

/** The event of a verdict; without a sighting, of a hash that was not found. */
export function toVerdictEvent(
  candidate: Candidate,
  verdict: Pick<FinalVerdict, "outcome"> & { reason?: Reason; received?: bigint; sender?: string },
  { seen, at }: { seen: Sighting | undefined; at: Date },
): NewEvent {
  const { outcome, reason = "", received, sender } = verdict;
  return observed(
    candidate,
    { id: verdictEventId(candidate), type: TYPES[outcome], at },
    {
      // A hash that is refuted is named as it was submitted, whatever took its place.
      txHash: outcome === "refuted" ? candidate.txHash : (seen?.txHash ?? candidate.txHash),
      submittedTxHash: candidate.found ? "" : candidate.txHash,
      ...(seen === undefined ? {} : placeOf(seen)),
      ...(received === undefined ? {} : { receivedBaseAmount: received.toString() }),
      ...(sender === undefined ? {} : { senderAddress: sender }),
      reason,
    },
  );
}

/** The event of a proof that is taken back, because its block is not in the chain any more. */
export function toUnseenEvent(candidate: Candidate, txHash: string, at: Date): NewEvent {
  return observed(
    candidate,
    { id: unseenEventId(candidate), type: "transfer.unseen", at },
    { txHash, submittedTxHash: candidate.txHash, reason: "reorged" },
  );
}

/** The event of a transaction that is in a block and not proven when its payment's time is over. */
export function toUnprovenEvent(candidate: Candidate, blockNumber: number, at: Date): NewEvent {
  const { txHash, found } = candidate;
  return observed(
    candidate,
    { id: unprovenEventId(candidate), type: "transfer.unproven", at },
    { txHash, submittedTxHash: found ? "" : txHash, blockNumber: BigInt(blockNumber) },
  );
}

/** The event of a hash that needs something else than before. */
export function toNeedsEvent(
  candidate: Candidate,
  { needs, turn, paidBy }: { needs: Needs | undefined; turn: number; paidBy: string | undefined },
  at: Date,
): NewEvent {
  const { txHash, found } = candidate;
  return observed(
    candidate,
    { id: needsEventId(candidate, turn), type: "transfer.waiting", at },
    {
      ...{ txHash, submittedTxHash: found ? "" : txHash, needsTurn: turn },
      ...(needs && { needs }),
      ...(paidBy && { senderAddress: paidBy }),
    },
  );
}

/** The event of a transfer that was found for an open payment and waits for its finality. */
export function toSeenEvent(
  submission: Submission,
  { seen, received, sender, at }: { seen: Sighting; received: bigint; sender: string; at: Date },
): NewEvent {
  return observed(
    submission,
    { id: seenEventId(submission), type: "transfer.seen", at },
    {
      txHash: seen.txHash,
      ...placeOf(seen),
      receivedBaseAmount: received.toString(),
      senderAddress: sender,
    },
  );
}

/** The event of an intent that no transaction pays. */
export function toUnsentEvent(
  intent: Intent,
  { reason, at }: { reason: UnsentReason; at: Date },
): NewEvent {
  return {
    ...{ id: unsentEventId(intent), type: "transfer.unsent" },
    ...{ projectId: intent.projectId, mode: intent.mode, resourceId: intent.subjectId },
    ...{ sequence: intent.version, requestId: intent.requestId },
    occurredAt: timestampFromDate(at),
    resource: {
      case: "observation",
      value: {
        ...{ subjectId: intent.subjectId, chainId: BigInt(intent.chainId), reason },
        ...{ recipientAddress: intent.destination, currency: intent.currency },
      },
    },
  };
}
