// How an observation of the chain changes a payment. It is applied only where it matches the payment's own record, so that
// an event on the bus cannot confirm a payment that was not paid.
import type { EventType, ObservedTransfer } from "@pay/events";
import { toAddress, toChainId, toCurrency } from "@pay/values";
import { ATTEMPTS_MAX, isCancelled, LATE } from "./change.ts";
import { type Finding, finding, type Reading } from "./finding.ts";
import {
  isAwaited,
  latestAwaited,
  listOtherHashes,
  OTHERS_MAX,
  othersThan,
  verdictOn,
  wasSubmitted,
  withPresent,
  withVerdict,
} from "./hashes.ts";
import type { Change, Payment } from "./payment.ts";
import { SURPLUS, surplus, surplusGone } from "./surplus.ts";

const proven: Reading = (payment, seen, now) => {
  // The merchant cancelled the payment, so the merchant decides about money that arrives after that.
  if (isCancelled(payment)) return { kind: "late", txHash: seen.txHash };
  const { txHash, sender, received } = seen;
  // The sender is proven now; a declaration only said who was going to pay.
  const payer = sender || payment.payer_address;
  const isDeclared = payer === payment.payer_address;
  const isSame = payment.confirmed_at !== null && payment.tx_hash === txHash;
  return finding(
    payment,
    "confirm",
    {
      tx_hash: txHash,
      other_hashes: othersThan(payment, txHash),
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
const seen: Reading = (payment, { txHash, sender }) => {
  if (wasSubmitted(payment, txHash) || listOtherHashes(payment).length >= OTHERS_MAX)
    return { kind: "known" };
  return finding(
    payment,
    "observe",
    {
      tx_hash: txHash,
      other_hashes: othersThan(payment, txHash),
      merchant_submitted: false,
      seen_sender: sender ?? null,
      attempts: Math.min(payment.attempts + 1, ATTEMPTS_MAX),
      failure_code: null,
      block_number: null,
    },
    { kind: "known" },
  );
};

const refuted: Reading = (payment, { submittedTxHash, txHash, found, reason, received }) => {
  const hash = submittedTxHash ?? txHash;
  const needs = payment.needs_hash === hash ? null : payment.needs;
  const unmoved: Finding =
    reason === LATE && payment.status === "expired"
      ? { kind: "late", txHash: hash }
      : { kind: "known" };
  if (found && !wasSubmitted(payment, hash)) return unmoved;
  // The amount that arrived is stored although it is not enough.
  const arrived: Change =
    reason === UNDERPAID && received !== undefined ? { received_base_amount: received } : {};
  if (payment.tx_hash !== hash) {
    if (verdictOn(payment, hash) === reason) return unmoved;
    const change = { ...arrived, needs, other_hashes: withVerdict(payment, hash, reason) };
    return finding(payment, "rejectHash", change, unmoved, { hash, verdict: reason });
  }
  const judged = { ...payment, failure_code: reason };
  const next = latestAwaited(payment);
  if (next !== undefined) {
    const change = { ...arrived, needs, ...withPresent(judged, next) };
    return finding(payment, "switchHash", change, unmoved, { hash, verdict: reason });
  }
  if (reason === LATE) return finding(payment, "expireLate", { failure_code: LATE }, unmoved);
  // Money that came too late has come all the same: it must be found, whatever another hash was.
  const late = listOtherHashes(payment).find(({ verdict }) => verdict === LATE);
  return late === undefined
    ? finding(payment, "fail", { ...arrived, failure_code: reason }, unmoved)
    : finding(payment, "expireLate", { ...withPresent(judged, late), failure_code: LATE }, unmoved);
};

/**
 * The proof is not in the chain any more. Its hash is under judgement again, and so is what had come on top of it; where
 * another transaction had taken the place of the submitted one, the submitted one stands for both.
 */
const unseen: Reading = (payment, seen, now) => {
  const { txHash, submittedTxHash = txHash } = seen;
  if (payment.tx_hash !== txHash) return surplusGone(payment, seen, now);
  const others = listOtherHashes(payment).map((other) =>
    other.verdict === SURPLUS ? { ...other, verdict: null } : other,
  );
  const rest = others.filter(({ hash }) => hash !== submittedTxHash);
  const byMerchant = others.find(({ hash }) => hash === submittedTxHash)?.by_merchant;
  return finding(
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
const unproven: Reading = (payment, { txHash, blockNumber }) => {
  if (!isAwaited(payment, txHash) || blockNumber === null) return { kind: "known" };
  const other = listOtherHashes(payment).find(({ hash }) => hash === txHash);
  if (other === undefined) return { kind: "mined", txHash, blockNumber };
  const change = { ...withPresent(payment, other), block_number: blockNumber };
  return finding(payment, "preferMined", change, { kind: "known" });
};

/** What one of its hashes needs besides the chain. An event that is older than what is known of the hash changes nothing. */
const waiting: Reading = (payment, { txHash, needs = null, needsTurn, sender }) => {
  const isOfKnown = payment.needs_hash === txHash;
  const isOld = isOfKnown && needsTurn <= (payment.needs_turn ?? 0);
  if (!isAwaited(payment, txHash) || isOld) return { kind: "known" };
  // Of two hashes the one that needs something is named.
  if (needs === null && payment.needs !== null && !isOfKnown) return { kind: "known" };
  const change = { needs, needs_hash: txHash, needs_turn: needsTurn };
  const seen = needs === "payer_signature" && sender !== undefined ? { seen_sender: sender } : {};
  return finding(payment, "changeNeeds", { ...change, ...seen }, { kind: "known" });
};

const READINGS: Readonly<Record<string, Reading>> = {
  "transfer.confirmed": proven,
  "transfer.rejected": refuted,
  "transfer.surplus": surplus,
  "transfer.seen": seen,
  "transfer.unseen": unseen,
  "transfer.unproven": unproven,
  "transfer.waiting": waiting,
} satisfies Partial<Record<EventType, Reading>>;

export const VERDICT_TYPES = Object.keys(READINGS) as EventType[];

export function isVerdict(type: string): boolean {
  return Object.hasOwn(READINGS, type);
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
    hash: seen.found || (hash !== undefined && wasSubmitted(payment, hash)),
    amount: least === undefined || (seen.received !== undefined && seen.received >= least),
  };
  return Object.entries(fits).find(([, holds]) => !holds)?.[0];
}

export function toFinding(payment: Payment, seen: ObservedTransfer, now: Date): Finding {
  const field = mismatch(payment, seen);
  if (field !== undefined) return { kind: "refused", field };
  return (READINGS[seen.type] as Reading)(payment, seen, now);
}
