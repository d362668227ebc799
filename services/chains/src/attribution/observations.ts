// The events of chains about the hash of a payment, refund or settlement.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { EventType, NewEvent } from "@pay/events";
import type { Observation } from "@pay/proto";
import type { Address, Amount, Needs, Reason, TxHash } from "@pay/values";
import {
  type Candidate,
  needsEventId,
  type Submission,
  seenEventId,
  unprovenEventId,
  unseenEventId,
  verdictEventId,
} from "./domain/candidate.ts";
import type { FinalVerdict } from "./domain/claim.ts";

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
export function buildObservation(
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
  return buildObservation(
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
  return buildObservation(
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
  return buildObservation(
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
  return buildObservation(
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
  return buildObservation(
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
