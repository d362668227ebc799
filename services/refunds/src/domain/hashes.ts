// Transactions that a merchant submits for money going out. While no verdict is in, another hash may follow; each keeps
// its own verdict.
import { Failure } from "@pay/failures";
import { type Amount, parseTxHash, type Reason, type TxHash } from "@pay/values";

/** A hash that was submitted, and its verdict; without one it is being verified. */
export interface OtherHash {
  hash: string;
  verdict: string | null;
}

/** What a refund and a settlement have in common: their hashes, and the amount a transaction has to move. */
export interface Outgoing {
  base_amount: Amount;
  tx_hash: string | null;
  /** Those besides tx_hash, in the order of their submission. */
  other_hashes: OtherHash[] | null;
  held_reason: string | null;
}

/** What a record has before its first move; with the status these are the columns that moves change. */
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

function listOtherHashes({ other_hashes }: Outgoing): OtherHash[] {
  return other_hashes ?? [];
}

export function wasSubmitted(record: Outgoing, hash: TxHash): boolean {
  return record.tx_hash === hash || listOtherHashes(record).some((other) => other.hash === hash);
}

/** Every hash except this one. The present hash has no verdict, unless it is in the list of the others. */
function othersThan(record: Outgoing, hash: TxHash): OtherHash[] | null {
  const { tx_hash } = record;
  const others = listOtherHashes(record);
  const isListed = tx_hash === null || others.some((other) => other.hash === tx_hash);
  const all = isListed ? others : [...others, { hash: tx_hash, verdict: null }];
  const rest = all.filter((other) => other.hash !== hash);
  return rest.length === 0 ? null : rest;
}

/** The record with another hash; undefined when it has as many as it may have. */
function withHash<T extends Outgoing>(record: T, txHash: TxHash): T | undefined {
  const other_hashes = othersThan(record, txHash);
  if ((other_hashes?.length ?? 0) >= HASHES_MAX) return undefined;
  return { ...record, tx_hash: txHash, other_hashes };
}

/** What a submitted hash means for a record: the record with it, nothing new, or a refusal in public words. */
export type Submission<T> = { kind: "taken"; record: T } | { kind: "unchanged" } | Failure;

/** A hash that the record has already is no fault, whatever its status is. */
export function submit<T extends Outgoing>(
  record: T,
  text: string,
  { noun, closed }: { noun: "refund" | "settlement"; closed: Failure | undefined },
): Submission<T> {
  const txHash = parseTxHash(text);
  if (txHash === undefined)
    return new Failure("field_invalid", "txHash must be a 32-byte hex string");
  if (wasSubmitted(record, txHash)) return { kind: "unchanged" };
  if (closed !== undefined) return closed;
  const taken = withHash(record, txHash);
  if (taken !== undefined) return { kind: "taken", record: taken };
  const name = noun === "refund" ? "Refund" : "Settlement";
  return new Failure(
    `${noun}_transactions_exhausted`,
    `${name} already has ${HASHES_MAX} transactions`,
  );
}

/** Whether a transaction with such a verdict may have moved the money from the one wallet to the other all the same. */
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

export interface Refutation {
  hash: TxHash;
  reason: string;
  received: Amount | undefined;
}

/**
 * The record after one of its hashes was refuted; undefined when that is known already. It is over when no hash waits for
 * a verdict and no transaction has moved its money: what it holds must not be given a second time.
 */
export function withRefutation<T extends Outgoing>(
  record: T,
  { hash, reason, received }: Refutation,
): { record: T; isOver: boolean } | undefined {
  const judged = listOtherHashes(record).find((other) => other.hash === hash);
  if (judged?.verdict === reason) return undefined;
  const movedMoney = MOVED_MONEY[reason] === true && (received ?? 0n) >= record.base_amount;
  const others = [...(othersThan(record, hash) ?? []), { hash, verdict: reason }];
  const waiting = others.findLast((other) => other.verdict === null)?.hash;
  const held_reason = movedMoney ? reason : record.held_reason;
  return {
    record: {
      ...record,
      held_reason,
      // A hash that waits stays the present one, or becomes it.
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

/** What the proof of a record sets. */
export function provenBy<T extends Outgoing>(record: T, proof: Proof) {
  return {
    held_reason: null,
    tx_hash: proof.txHash,
    other_hashes: othersThan(record, proof.txHash),
    block_number: proof.blockNumber,
    completed_at: proof.now,
  };
}
