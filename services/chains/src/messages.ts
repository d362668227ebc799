// From rows and verdicts to messages.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EventType, NewEvent } from "@pay/events";
import type {
  ArrivedTransferSchema,
  ChainSchema,
  MovementSchema,
  Observation,
  TransferSchema,
} from "@pay/proto";
import {
  type Address,
  type Amount,
  checksumAddress,
  type Needs,
  type Reason,
  type TxHash,
} from "@pay/values";
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
import type { FinalVerdict } from "./domain/claim.ts";
import type { Intent, UnsentReason } from "./domain/intent.ts";
import { NATIVE } from "./domain/transfer.ts";
import type { Chain, Token } from "./generated/prisma/client.ts";
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
      symbol,
      name,
      address: checksumAddress(address),
      decimals,
      chainId: chain_id,
    })),
  };
}

export function toTransfer(row: CountedTransfer): MessageInitShape<typeof TransferSchema> {
  return {
    subjectId: row.subject_id,
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksumAddress(row.sender),
    toAddress: checksumAddress(row.recipient),
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
    currency: row.currency === NATIVE ? NATIVE : checksumAddress(row.currency),
    decimals: row.decimals,
    baseAmount: row.value.toString(),
    txHash: row.tx_hash,
    ...(row.kind === "log" ? { logIndex: row.ordinal } : {}),
    fromAddress: checksumAddress(row.sender),
    toAddress: checksumAddress(row.recipient),
    blockNumber: row.block_number,
    minedAt: timestampFromDate(row.block_time),
    recordedAt: timestampFromDate(row.recorded_at),
  };
}

export function toArrived(
  { subject_id, reason, ...row }: Arrival,
  id: string,
): MessageInitShape<typeof ArrivedTransferSchema> {
  return {
    id,
    chainId: row.chain_id,
    decimals: row.decimals,
    status: row.status,
    currency: row.currency === NATIVE ? NATIVE : checksumAddress(row.currency),
    transfer: toTransfer({ ...row, subject_id: subject_id ?? "" }),
    ...(reason === null ? {} : { reason }),
  };
}

/** Where a transaction was found, and under which hash. */
export interface Sighting {
  txHash: TxHash;
  blockNumber: number;
  blockTime: Date;
}

const TYPES = {
  proven: "transfer.confirmed",
  surplus: "transfer.surplus",
  refuted: "transfer.rejected",
} as const satisfies Record<FinalVerdict["outcome"], EventType>;

type ObservationType = Extract<EventType, `transfer.${string}`>;
type Fields = Exclude<keyof Observation, "$typeName" | "$unknown">;
/** What every observation says of its subject. */
type Subject = "subjectId" | "chainId" | "recipientAddress" | "currency" | "found";
type Described = { [Field in Exclude<Fields, Subject>]?: Observation[Field] };

/** What an observation says that is silent about it; a new field of the message does not compile before it is here. */
const SILENT: Required<Described> = {
  txHash: "",
  blockNumber: undefined,
  receivedBaseAmount: undefined,
  senderAddress: undefined,
  reason: "",
  blockTime: undefined,
  submittedTxHash: "",
  needs: undefined,
  needsTurn: 0,
};

/** What an event needs of the submission or the intent that it is about. */
type About = Pick<
  Submission,
  "subjectId" | "projectId" | "mode" | "chainId" | "attempt" | "requestId" | "found"
> & { claim: Pick<Submission["claim"], "recipient" | "currency"> };

/** An event of chains about the hash of a payment, refund or settlement. */
function observed(
  { subjectId, found, chainId, claim, attempt, ...about }: About,
  { id, type, at }: { id: string; type: ObservationType; at: Date },
  said: Described,
): NewEvent {
  const subject: Pick<Observation, Subject> = {
    subjectId,
    found,
    chainId: BigInt(chainId),
    recipientAddress: claim.recipient,
    currency: claim.currency,
  };
  return {
    id,
    type,
    projectId: about.projectId,
    mode: about.mode,
    resourceId: subjectId,
    sequence: attempt,
    occurredAt: timestampFromDate(at),
    requestId: about.requestId,
    resource: { case: "observation", value: { ...subject, ...SILENT, ...said } },
  };
}

function toPlace({ blockNumber, blockTime }: Sighting): Described {
  return { blockNumber: BigInt(blockNumber), blockTime: timestampFromDate(blockTime) };
}

/** The event of a verdict; without a sighting, of a hash that was not found. */
export function toVerdictEvent(
  candidate: Candidate,
  verdict: Pick<FinalVerdict, "outcome"> & {
    reason?: Reason;
    received?: Amount;
    sender?: Address | undefined;
  },
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
      ...(seen === undefined ? {} : toPlace(seen)),
      ...(received === undefined ? {} : { receivedBaseAmount: received.toString() }),
      ...(sender === undefined ? {} : { senderAddress: sender }),
      reason,
    },
  );
}

/** The event of money that is taken back, because its block is not in the chain any more. */
export function toUnseenEvent(
  candidate: Candidate,
  { txHash, received }: { txHash: TxHash; received: Amount },
  at: Date,
): NewEvent {
  return observed(
    candidate,
    { id: unseenEventId(candidate), type: "transfer.unseen", at },
    {
      txHash,
      submittedTxHash: candidate.txHash,
      receivedBaseAmount: received.toString(),
      reason: "reorged",
    },
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
  { needs, turn, paidBy }: { needs: Needs | undefined; turn: number; paidBy: Address | undefined },
  at: Date,
): NewEvent {
  const { txHash, found } = candidate;
  return observed(
    candidate,
    { id: needsEventId(candidate, turn), type: "transfer.waiting", at },
    {
      txHash,
      submittedTxHash: found ? "" : txHash,
      needsTurn: turn,
      ...(needs && { needs }),
      ...(paidBy && { senderAddress: paidBy }),
    },
  );
}

/** The event of a transfer that was found for an open payment and waits for its finality. */
export function toSeenEvent(
  submission: Submission,
  { seen, received, sender, at }: { seen: Sighting; received: Amount; sender: Address; at: Date },
): NewEvent {
  return observed(
    submission,
    { id: seenEventId(submission), type: "transfer.seen", at },
    {
      txHash: seen.txHash,
      ...toPlace(seen),
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
  const claim = { recipient: intent.destination, currency: intent.currency };
  return observed(
    { ...intent, claim, attempt: intent.version, found: false },
    { id: unsentEventId(intent), type: "transfer.unsent", at },
    { reason },
  );
}
