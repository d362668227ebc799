// How an observation of the chain changes a payment. It is applied only where it matches the payment's own record, so that
// an event on the bus cannot confirm a payment that was not paid.
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
  // The merchant cancelled the payment, so the merchant decides about money that arrives after that.
  if (isCancelled(payment)) return { kind: "late", txHash: seen.txHash };
  const { txHash, sender, received } = seen;
  // The sender is proven now; a declaration only said who was going to pay.
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
    { kind: isSame ? "known" : "unapplied" },
  );
};

const UNDERPAID = "underpaid";

/**
 * A transfer is in a block and waits for its finality, and chains waits for the answer. It counts as an attempt, and is taken
 * where none is left, too: the chain shows money, whatever was submitted before.
 */
const onSeen: ObservationHandler = (payment, { txHash, sender }) => {
  if (hasHash(payment, txHash) || listOtherHashes(payment).length >= OTHERS_MAX)
    return { kind: "known" };
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
    { kind: "known" },
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
      : { kind: "known" };
  if (found && !hasHash(payment, hash)) return unmoved;
  // The amount that arrived is stored although it is not enough.
  const arrived: Change =
    reason === UNDERPAID && received !== undefined ? { received_base_amount: received } : {};
  if (payment.tx_hash !== hash) {
    if (findVerdict(payment, hash) === reason) return unmoved;
    const change = { ...arrived, needs, other_hashes: setVerdict(payment, hash, reason) };
    return tryMove(payment, "rejectHash", change, unmoved, { hash, verdict: reason });
  }
  const judged = { ...payment, failure_code: reason };
  const next = findLatestPending(payment);
  if (next !== undefined) {
    const change = { ...arrived, needs, ...selectHash(judged, next) };
    return tryMove(payment, "switchHash", change, unmoved, { hash, verdict: reason });
  }
  if (reason === LATE) return tryMove(payment, "expireLate", { failure_code: LATE }, unmoved);
  // Money that came too late has come all the same: it must be found, whatever another hash was.
  const late = listOtherHashes(payment).find(({ verdict }) => verdict === LATE);
  return late === undefined
    ? tryMove(payment, "fail", { ...arrived, failure_code: reason }, unmoved)
    : tryMove(payment, "expireLate", { ...selectHash(judged, late), failure_code: LATE }, unmoved);
};

/**
 * The proof is not in the chain any more. Its hash is under judgement again, and so is what had come on top of it; where
 * another transaction had taken the place of the submitted one, the submitted one stands for both.
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
      // Without a declaration it was only the sender of the proof.
      payer_address: payment.payer_declared_at === null ? null : payment.payer_address,
      failure_code: null,
      reorged_at: now,
    },
    { kind: payment.status === "refunded" ? "unapplied" : "known" },
  );
};

/** A payment whose transaction is in a block does not expire: it waits for the proof, or for a person to look. */
const onUnproven: ObservationHandler = (payment, { txHash, blockNumber }) => {
  if (!isHashPending(payment, txHash) || blockNumber === null) return { kind: "known" };
  const other = listOtherHashes(payment).find(({ hash }) => hash === txHash);
  if (other === undefined) return { kind: "mined", txHash, blockNumber };
  const change = { ...selectHash(payment, other), block_number: blockNumber };
  return tryMove(payment, "preferMined", change, { kind: "known" });
};

/** What one of its hashes needs besides the chain. An event that is older than what is known of the hash changes nothing. */
const onWaiting: ObservationHandler = (payment, { txHash, needs = null, needsTurn, sender }) => {
  const isOfKnown = payment.needs_hash === txHash;
  const isOld = isOfKnown && needsTurn <= (payment.needs_turn ?? 0);
  if (!isHashPending(payment, txHash) || isOld) return { kind: "known" };
  // Of two hashes the one that needs something is named.
  if (needs === null && payment.needs !== null && !isOfKnown) return { kind: "known" };
  const change = { needs, needs_hash: txHash, needs_turn: needsTurn };
  const seen = needs === "payer_signature" && sender !== undefined ? { seen_sender: sender } : {};
  return tryMove(payment, "changeNeeds", { ...change, ...seen }, { kind: "known" });
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

/** What an observation that speaks of money must have brought. */
const LEAST_RECEIVED: Readonly<Record<string, (payment: Payment) => bigint>> = {
  "transfer.confirmed": ({ base_amount }) => base_amount,
  "transfer.surplus": () => 1n,
  "transfer.seen": () => 1n,
};

/** The field of the observation that is not the payment's; undefined where all that is there fits. */
function mismatch(payment: Payment, seen: ObservedTransfer): string | undefined {
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
  const field = mismatch(payment, seen);
  if (field !== undefined) return { kind: "refused", field };
  return (ON_OBSERVATION[seen.type] as ObservationHandler)(payment, seen, now);
}
