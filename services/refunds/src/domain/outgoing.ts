// Common rules of refunds and settlements: moves of the status, and the transactions that a merchant submits. While no
// verdict is in, another hash may follow; each keeps its own verdict.
import { Failure } from "@pay/failures";
import { type Amount, parseTxHash, type Reason, type TxHash } from "@pay/values";

/** A permitted change of a record's status. */
export interface Move<Status extends string> {
  from: readonly Status[];
  to: Status;
  event: string;
}

/** The status after the move, or undefined where the record may not make it. */
export function applyMove<Status extends string>(
  status: Status,
  { from, to }: Move<Status>,
): Status | undefined {
  return from.includes(status) ? to : undefined;
}

/** A submitted hash and its verdict; null while it is being verified. */
export interface OtherHash {
  hash: string;
  verdict: string | null;
}

/** The hashes of a refund or settlement, and the amount that a transaction has to move. */
export interface Outgoing {
  base_amount: Amount;
  tx_hash: string | null;
  /** All hashes except tx_hash, in the order of their submission. */
  other_hashes: OtherHash[] | null;
  held_reason: string | null;
}

/** The columns that moves change, besides the status, with their first values. */
export const UNMOVED = {
  tx_hash: null,
  other_hashes: null,
  block_number: null,
  failure_reason: null,
  held_reason: null,
  completed_at: null,
  version: 1,
};

const HASHES_MAX = 5;

export function wasSubmitted(record: Outgoing, hash: TxHash): boolean {
  return record.tx_hash === hash || listOthers(record).some((other) => other.hash === hash);
}

function listOthers({ other_hashes }: Outgoing): OtherHash[] {
  return other_hashes ?? [];
}

/** All hashes except this one. The current hash has no verdict, unless it is among the others. */
function listAllExcept(record: Outgoing, hash: TxHash): OtherHash[] | null {
  const { tx_hash } = record;
  const others = listOthers(record);
  const isListed = tx_hash === null || others.some((other) => other.hash === tx_hash);
  const all = isListed ? others : [...others, { hash: tx_hash, verdict: null }];
  const rest = all.filter((other) => other.hash !== hash);
  return rest.length === 0 ? null : rest;
}

/** Whether a submitted transaction has no verdict yet, so that it may still move the money. */
export function isAwaited(record: Outgoing): boolean {
  const { tx_hash } = record;
  const others = listOthers(record);
  const isListed = others.some(({ hash }) => hash === tx_hash);
  return others.some(({ verdict }) => verdict === null) || (tx_hash !== null && !isListed);
}

/** The record with another hash; undefined when it has the maximum already. */
function addHash<T extends Outgoing>(record: T, txHash: TxHash): T | undefined {
  const other_hashes = listAllExcept(record, txHash);
  if ((other_hashes?.length ?? 0) >= HASHES_MAX) return undefined;
  return { ...record, tx_hash: txHash, other_hashes };
}

/** The result of a submission: the record with the hash, no change, or a failure with a public message. */
export type Submission<T> = { kind: "accepted"; record: T } | { kind: "unchanged" } | Failure;

/** A repeated hash is accepted in every status. */
export function submitHash<T extends Outgoing>(
  record: T,
  text: string,
  { noun, closed }: { noun: "refund" | "settlement"; closed: Failure | undefined },
): Submission<T> {
  const txHash = parseTxHash(text);
  if (txHash === undefined)
    return new Failure("field_invalid", "txHash must be a 32-byte hex string");
  if (wasSubmitted(record, txHash)) return { kind: "unchanged" };
  if (closed !== undefined) return closed;
  const accepted = addHash(record, txHash);
  if (accepted !== undefined) return { kind: "accepted", record: accepted };
  const name = noun === "refund" ? "Refund" : "Settlement";
  return new Failure(
    `${noun}_transactions_exhausted`,
    `${name} already has ${HASHES_MAX} transactions`,
  );
}

/** Whether a transaction with this verdict may still have moved the money to the destination. */
const MOVED_MONEY: Readonly<Record<string, boolean>> = {
  reverted: false,
  recipient_mismatch: false,
  wrong_token: false,
  payer_mismatch: false,
  predates_payment: true,
  late: false,
  transfer_already_used: true,
  underpaid: false,
  replaced: false,
  not_found: false,
  reorged: false,
  ambiguous: false,
} satisfies Record<Reason, boolean>;

export interface Rejection {
  hash: TxHash;
  reason: string;
  received: Amount | undefined;
}

/**
 * The record after the rejection of a hash; undefined when the rejection is stored already. It is over when no hash
 * waits for a verdict and no transaction moved its money: a reserved amount must not be paid twice.
 */
export function addRejection<T extends Outgoing>(
  record: T,
  { hash, reason, received }: Rejection,
): { record: T; isOver: boolean } | undefined {
  const stored = listOthers(record).find((other) => other.hash === hash);
  if (stored?.verdict === reason) return undefined;
  const movedMoney = MOVED_MONEY[reason] === true && (received ?? 0n) >= record.base_amount;
  const others = [...(listAllExcept(record, hash) ?? []), { hash, verdict: reason }];
  const waiting = others.findLast((other) => other.verdict === null)?.hash;
  const held_reason = movedMoney ? reason : record.held_reason;
  return {
    record: {
      ...record,
      held_reason,
      // A hash that waits for its verdict stays or becomes the current hash.
      tx_hash: waiting === undefined || record.tx_hash !== hash ? record.tx_hash : waiting,
      other_hashes: others,
    },
    isOver: waiting === undefined && held_reason === null,
  };
}

export interface Proof {
  txHash: TxHash;
  blockNumber: bigint | null;
  now: Date;
}

/** The columns that a proof sets. */
export function toProvenColumns<T extends Outgoing>(record: T, proof: Proof) {
  return {
    held_reason: null,
    tx_hash: proof.txHash,
    other_hashes: listAllExcept(record, proof.txHash),
    block_number: proof.blockNumber,
    completed_at: proof.now,
  };
}

/** The transaction whose block has left the chain, and the hash under which it was submitted. */
export interface LostProof {
  txHash: TxHash;
  submittedTxHash: TxHash;
}

/**
 * The columns of a completed record whose proof is lost, with the submitted hash under verification again; undefined
 * where another transaction proves the record.
 */
export function toUnprovenColumns<T extends Outgoing>(
  record: T,
  { txHash, submittedTxHash }: LostProof,
) {
  if (record.tx_hash !== txHash) return undefined;
  const others = listOthers(record).filter(({ hash }) => hash !== submittedTxHash);
  return {
    tx_hash: submittedTxHash,
    other_hashes: others.length === 0 ? null : others,
    block_number: null,
    completed_at: null,
  };
}
