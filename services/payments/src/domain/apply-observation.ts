// Applies observations of the chain to a payment. One that does not match the payment's own record is rejected, so
// that an event on the bus cannot confirm a payment that was not paid.
import type { EventType, ObservedTransfer } from "@pay/events";
import { toAddress, toChainId, toCurrency } from "@pay/values";
import { ATTEMPTS_MAX, isCancelled, LATE } from "./change.ts";
import {
  findLatestPending,
  findVerdict,
  hasHash,
  isHashPending,
  listHashesBesides,
  listOtherHashes,
  OTHERS_MAX,
  selectHash,
  setVerdict,
} from "./hashes.ts";
import { type ObservationHandler, type Outcome, tryMove } from "./outcome.ts";
import type { Change, Payment } from "./payment.ts";
import { onSurplus, onSurplusRevoked, SURPLUS } from "./surplus.ts";

const onConfirmed: ObservationHandler = (payment, seen, now) => {
  // The merchant cancelled the payment, and decides about money that arrives afterwards.
  if (isCancelled(payment)) return { kind: "late", txHash: seen.txHash };
  const { txHash, sender, received } = seen;
  // The proven sender replaces a declared payer.
  const payer = sender || payment.payer_address;
  const isDeclared = payer === payment.payer_address;
  const isSame = payment.confirmed_at !== null && payment.tx_hash === txHash;
  return tryMove(
    payment,
    "confirm",
    {
      tx_hash: txHash,
      other_hashes: listHashesBesides(payment, txHash),
      block_number: seen.blockNumber,
      received_base_amount: received ?? payment.base_amount,
      sender_address: sender ?? null,
      payer_address: payer,
      payer_declared_at: isDeclared ? payment.payer_declared_at : null,
      payer_signed_at: isDeclared ? payment.payer_signed_at : null,
      failure_code: null,
      confirmed_at: now,
    },
    { kind: isSame ? "unchanged" : "unapplied" },
  );
};

const UNDERPAID = "underpaid";

/** A mined transfer counts as an attempt and is taken where none is left, too, because the chain shows money. */
const onSeen: ObservationHandler = (payment, { txHash, sender }) => {
  if (hasHash(payment, txHash) || listOtherHashes(payment).length >= OTHERS_MAX)
    return { kind: "unchanged" };
  return tryMove(
    payment,
    "observe",
    {
      tx_hash: txHash,
      other_hashes: listHashesBesides(payment, txHash),
      merchant_submitted: false,
      seen_sender: sender ?? null,
      attempts: Math.min(payment.attempts + 1, ATTEMPTS_MAX),
      failure_code: null,
      block_number: null,
    },
    { kind: "unchanged" },
  );
};

const onRejected: ObservationHandler = (
  payment,
  { submittedTxHash, txHash, found, reason, received },
) => {
  const hash = submittedTxHash ?? txHash;
  const needs = payment.needs_hash === hash ? null : payment.needs;
  const unmoved: Outcome =
    reason === LATE && payment.status === "expired"
      ? { kind: "late", txHash: hash }
      : { kind: "unchanged" };
  if (found && !hasHash(payment, hash)) return unmoved;
  // An underpaid amount is stored, too.
  const arrived: Change =
    reason === UNDERPAID && received !== undefined ? { received_base_amount: received } : {};
  if (payment.tx_hash !== hash) {
    if (findVerdict(payment, hash) === reason) return unmoved;
    const change = { ...arrived, needs, other_hashes: setVerdict(payment, hash, reason) };
    return tryMove(payment, "rejectHash", change, unmoved, { hash, verdict: reason });
  }
  const rejected = { ...payment, failure_code: reason };
  const next = findLatestPending(payment);
  if (next !== undefined) {
    const change = { ...arrived, needs, ...selectHash(rejected, next) };
    return tryMove(payment, "switchHash", change, unmoved, { hash, verdict: reason });
  }
  if (reason === LATE) return tryMove(payment, "expireLate", { failure_code: LATE }, unmoved);
  // Late money must be found, whatever the verdict on another hash.
  const late = listOtherHashes(payment).find(({ verdict }) => verdict === LATE);
  return late === undefined
    ? tryMove(payment, "fail", { ...arrived, failure_code: reason }, unmoved)
    : tryMove(
        payment,
        "expireLate",
        { ...selectHash(rejected, late), failure_code: LATE },
        unmoved,
      );
};

/**
 * A reorganization has removed the proof, so its hash and each surplus are verified again. A submitted hash stands
 * for the transaction that had replaced it.
 */
const onRevoked: ObservationHandler = (payment, seen, now) => {
  const { txHash, submittedTxHash = txHash } = seen;
  if (payment.tx_hash !== txHash) return onSurplusRevoked(payment, seen, now);
  const others = listOtherHashes(payment).map((other) =>
    other.verdict === SURPLUS ? { ...other, verdict: null } : other,
  );
  const rest = others.filter(({ hash }) => hash !== submittedTxHash);
  const byMerchant = others.find(({ hash }) => hash === submittedTxHash)?.by_merchant;
  return tryMove(
    payment,
    "revoke",
    {
      tx_hash: submittedTxHash,
      other_hashes: rest.length === 0 ? null : rest,
      merchant_submitted: byMerchant ?? payment.merchant_submitted,
      block_number: null,
      confirmed_at: null,
      received_base_amount: null,
      sender_address: null,
      // An undeclared payer was the sender of the removed proof.
      payer_address: payment.payer_declared_at === null ? null : payment.payer_address,
      failure_code: null,
      reorged_at: now,
    },
    { kind: payment.status === "refunded" ? "unapplied" : "unchanged" },
  );
};

/** A payment with a mined transaction does not expire: it waits for the proof or for a review. */
const onUnproven: ObservationHandler = (payment, { txHash, blockNumber }) => {
  if (!isHashPending(payment, txHash) || blockNumber === null) return { kind: "unchanged" };
  const other = listOtherHashes(payment).find(({ hash }) => hash === txHash);
  if (other === undefined) return { kind: "mined", txHash, blockNumber };
  const change = { ...selectHash(payment, other), block_number: blockNumber };
  return tryMove(payment, "preferMined", change, { kind: "unchanged" });
};

/** An event that is older than the stored need of its hash changes nothing. */
const onWaiting: ObservationHandler = (payment, { txHash, needs = null, needsTurn, sender }) => {
  const isSameHash = payment.needs_hash === txHash;
  const isOld = isSameHash && needsTurn <= (payment.needs_turn ?? 0);
  if (!isHashPending(payment, txHash) || isOld) return { kind: "unchanged" };
  // Of two hashes the one with a need is stored.
  if (needs === null && payment.needs !== null && !isSameHash) return { kind: "unchanged" };
  const change = { needs, needs_hash: txHash, needs_turn: needsTurn };
  const seen = needs === "payer_signature" && sender !== undefined ? { seen_sender: sender } : {};
  return tryMove(payment, "changeNeeds", { ...change, ...seen }, { kind: "unchanged" });
};

const ON_OBSERVATION: Readonly<Record<string, ObservationHandler>> = {
  "transfer.confirmed": onConfirmed,
  "transfer.rejected": onRejected,
  "transfer.surplus": onSurplus,
  "transfer.seen": onSeen,
  "transfer.unseen": onRevoked,
  "transfer.unproven": onUnproven,
  "transfer.waiting": onWaiting,
} satisfies Partial<Record<EventType, ObservationHandler>>;

export const VERDICT_TYPES = Object.keys(ON_OBSERVATION) as EventType[];

export function isVerdict(type: string): boolean {
  return Object.hasOwn(ON_OBSERVATION, type);
}

/** The least amount that an observation of money must report. */
const LEAST_RECEIVED: Readonly<Record<string, (payment: Payment) => bigint>> = {
  "transfer.confirmed": ({ base_amount }) => base_amount,
  "transfer.surplus": () => 1n,
  "transfer.seen": () => 1n,
};

/** The first field that differs from the payment. */
function findMismatch(payment: Payment, seen: ObservedTransfer): string | undefined {
  const { recipient, currency, submittedTxHash: hash } = seen;
  const least = LEAST_RECEIVED[seen.type]?.(payment);
  const fits = {
    project: seen.projectId === payment.project_id,
    mode: seen.mode === payment.mode,
    chain: seen.chainId === toChainId(payment.chain_id),
    recipient: recipient === toAddress(payment.recipient_address),
    currency: currency === toCurrency(payment.currency),
    hash: seen.found || (hash !== undefined && hasHash(payment, hash)),
    amount: least === undefined || (seen.received !== undefined && seen.received >= least),
  };
  return Object.entries(fits).find(([, holds]) => !holds)?.[0];
}

export function applyObservation(payment: Payment, seen: ObservedTransfer, now: Date): Outcome {
  const field = findMismatch(payment, seen);
  if (field !== undefined) return { kind: "mismatch", field };
  return (ON_OBSERVATION[seen.type] as ObservationHandler)(payment, seen, now);
}
