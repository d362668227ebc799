// A candidate is a hash that was submitted for a payment, a refund or a settlement. It waits until its transaction is
// final, then becomes confirmed, surplus or rejected; abandoned means that it was never found and got no verdict.
import { type Address, type ChainId, derivedId, isId, type Needs, type TxHash } from "@pay/values";
import type { Transfer } from "../../providers/domain/transfer.ts";
import type { Claim } from "./claim.ts";

export interface Submission {
  subjectId: string;
  projectId: string;
  mode: number;
  requestId: string;
  chainId: ChainId;
  txHash: TxHash;
  claim: Claim;
  /** When the claim's payer was declared. */
  payerDeclaredAt: Date | undefined;
  /** Whether the merchant itself named the hash. */
  merchantSubmitted: boolean;
  giveUpAt: Date;
  /** The version of the subject that named the hash. */
  attempt: number;
  /** Whether chains found the hash by its recipient; false where it was submitted. */
  found: boolean;
}

/** The sender and nonce of the transaction, and the head of the chain when it was last seen unmined. */
export interface Sender {
  address: Address;
  nonce: number;
  seenBlock: number;
}

export interface Candidate extends Submission {
  id: bigint;
  /** When payments was asked to take what was found, also after it has; undefined where someone has named the hash. */
  askedAt: Date | undefined;
  misses: number;
  sender: Sender | undefined;
  /** When a provider first showed the transaction, pending or mined; never later than the time of its block. */
  firstSeenAt: Date | undefined;
  createdAt: Date;
  /** Its number among all hashes in the order in which they were named. */
  namedOrder: bigint;
  /** How often a reorganisation has taken its proof back. */
  epoch: number;
  reorgedAt: Date | undefined;
  /** When it was last looked at, and whether its transaction was in a block then and only waited for proof. */
  lookedAt: Date | undefined;
  isMined: boolean;
  /** What its payer or a person has to do, as it was said last, and how often something was said. */
  needs: Needs | undefined;
  needsTurn: number;
}

/** A waiting candidate among all those of its tenant that one transaction may concern. */
export interface Claimant extends Candidate {
  /** Whether another hash has proven the subject. */
  isProven: boolean;
  /** The payer has proven by a signature that it will pay this payment. */
  isSigned: boolean;
  /** Senders that have signed for another open payment of the tenant. */
  signedElsewhere: ReadonlySet<Address>;
  /** Its project lets the first claim win where none is signed. */
  firstWins: boolean;
  /** Its merchant has cancelled the payment and has not accepted the money: it gets what no open payment is paid by. */
  isCancelled: boolean;
  /** Number of hashes of the subject that have a verdict: a decision holds while it stays the same. */
  judgedHashes: number;
  /** Unused transfers that earlier transactions brought and that were too little. */
  earlier: readonly Transfer[];
}

// The builder of a block chooses its time, and the clock of a shop may be wrong.
const CLOCK_SLACK_MS = 60_000;
const PAYMENT_GRACE_MS = 60 * 60_000;
const OUTGOING_PATIENCE_MS = 7 * 24 * 60 * 60_000;
/** No provider could be asked: a payment mined in time must still be found when the providers are back. */
const SILENCE_GRACE_MS = 24 * 60 * 60_000;

/** The latest time at which something was opened that a block of that time may be meant for. */
export function withClockSlack(blockTime: Date): Date {
  return new Date(blockTime.getTime() + CLOCK_SLACK_MS);
}

export function paymentWindow({ createdAt, expiresAt }: { createdAt: Date; expiresAt: Date }) {
  return {
    notBefore: new Date(createdAt.getTime() - CLOCK_SLACK_MS),
    notAfter: expiresAt,
    giveUpAt: new Date(expiresAt.getTime() + PAYMENT_GRACE_MS),
  };
}

/** For a transfer that the merchant accepts although it came too late. */
export function withoutEnd({ notBefore }: { notBefore: Date }, now: Date) {
  return { notBefore, notAfter: undefined, giveUpAt: new Date(now.getTime() + PAYMENT_GRACE_MS) };
}

/**
 * A refund may be paid before it is created, but not before its payment is confirmed; a settlement once it is
 * approved.
 */
export function outgoingWindow({ owedSince, now }: { owedSince: Date; now: Date }) {
  return {
    notBefore: new Date(owedSince.getTime() - CLOCK_SLACK_MS),
    notAfter: undefined,
    giveUpAt: new Date(now.getTime() + OUTGOING_PATIENCE_MS),
  };
}

/** The ids of money that goes out begin with one of these. */
export const OUTGOING = ["refund", "stl"] as const;

function isOutgoing({ subjectId }: Pick<Submission, "subjectId">): boolean {
  return OUTGOING.some((prefix) => isId(prefix, subjectId));
}

/**
 * A refund or settlement holds money until its hash has a verdict, a payment whose proof is gone is not confirmed any
 * more, and one whose transaction is in a block, or that needs something, does not expire: their hashes are never
 * given up without one.
 */
export function needsVerdict(
  candidate: Pick<Candidate, "subjectId" | "reorgedAt" | "isMined" | "needs">,
): boolean {
  const { reorgedAt, isMined, needs } = candidate;
  return reorgedAt !== undefined || isMined || needs !== undefined || isOutgoing(candidate);
}

/** For a transaction in a block that is not proven: whether its payment's time is over and no event has said so. */
export function isUnprovenEventDue(
  { subjectId, claim: { notAfter }, isMined, lookedAt }: Candidate,
  now: Date,
): boolean {
  if (notAfter === undefined || now <= notAfter || !isId("pay", subjectId)) return false;
  return !isMined || lookedAt === undefined || lookedAt <= notAfter;
}

/** Until when a wallet may sign for a claim that is held; a proof that was taken back begins anew. */
export function signableUntil({ claim, giveUpAt, reorgedAt }: Candidate, signingMs: number): Date {
  const end = claim.notAfter ?? giveUpAt;
  return new Date(Math.max(end.getTime(), reorgedAt?.getTime() ?? 0) + signingMs);
}

/**
 * Events of a project come in order. So once payments has answered that a transaction was found for a payment, every
 * payment is known here that was open when the transaction was sent, however late its events are, and its claims with
 * it. A payment whose time is over, that is paid or that is cancelled gets no answer.
 */
export function isUnanswered(
  { found, askedAt, isProven, isCancelled, claim: { notAfter } }: Claimant,
  now: Date,
): boolean {
  const isOver = notAfter !== undefined && now > notAfter;
  return found && askedAt !== undefined && !isProven && !isCancelled && !isOver;
}

export function isOverdue({ giveUpAt }: Submission, now: Date): boolean {
  return now > giveUpAt;
}

/** Whether the hash of a payment that was not found is looked for no longer. */
export function isGivenUp(candidate: Candidate, now: Date, isAnswered: boolean): boolean {
  return (
    !needsVerdict(candidate) &&
    now.getTime() > candidate.giveUpAt.getTime() + (isAnswered ? 0 : SILENCE_GRACE_MS)
  );
}

/** A submitted hash that was looked for so often and never seen keeps no other transaction from its payment. */
export const MISSES_MIN = 3;

type Judged = Pick<Candidate, "projectId" | "subjectId" | "txHash" | "attempt" | "epoch">;

/** The same verdict has the same event, however often it is reached, and one of another project has another. */
export function verdictEventId({ projectId, subjectId, txHash, attempt, epoch }: Judged): string {
  return derivedId("evt", projectId, subjectId, txHash, attempt, ...(epoch === 0 ? [] : [epoch]));
}

/** Of the proof of that epoch, which is taken back. */
export function unseenEventId({ projectId, subjectId, txHash, attempt, epoch }: Judged): string {
  return derivedId("evt", projectId, subjectId, txHash, attempt, epoch, "unseen");
}

/** Of a transaction that is in a block and not proven when its payment's time is over. */
export function unprovenEventId({ projectId, subjectId, txHash, attempt, epoch }: Judged): string {
  return derivedId("evt", projectId, subjectId, txHash, attempt, epoch, "unproven");
}

/** Of an intent that ends without a transaction. */
export function unsentEventId({
  projectId,
  subjectId,
}: Pick<Judged, "projectId" | "subjectId">): string {
  return derivedId("evt", projectId, subjectId, "unsent");
}

/** Of what its hash needs from then on. */
export function needsEventId({ projectId, subjectId, txHash }: Judged, turn: number): string {
  return derivedId("evt", projectId, subjectId, txHash, "needs", turn);
}

export function seenEventId({ projectId, subjectId, txHash, attempt }: Submission): string {
  return derivedId("evt", projectId, subjectId, txHash, attempt, "seen");
}
