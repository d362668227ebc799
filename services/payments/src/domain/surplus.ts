// Money that came on top of a paid amount.
import { type Amount, toAmount } from "@pay/values";
import { isCancelled } from "./change.ts";
import { type Finding, finding, type Reading } from "./finding.ts";
import { listOtherHashes, OTHERS_MAX, verdictOn, wasSubmitted, withVerdict } from "./hashes.ts";
import type { Payment } from "./payment.ts";

export const SURPLUS = "surplus";
const NOTHING = toAmount(0n);

export const surplus: Reading = (
  payment,
  { submittedTxHash, txHash, found, received = NOTHING },
) => {
  // The merchant decides about it together with the proof that it adds to; chains sends both again then.
  if (isCancelled(payment)) return { kind: "late", txHash };
  const hash = submittedTxHash ?? txHash;
  if (found && !wasSubmitted(payment, hash)) return foundSurplus(payment, { hash, received });
  const verdict = verdictOn(payment, hash);
  if (verdict === SURPLUS) return { kind: "known" };
  // Without a place for its verdict the same surplus could be added twice.
  if (verdict === undefined) return { kind: "unapplied" };
  const change = {
    received_base_amount: withMore(payment, received),
    other_hashes: withVerdict(payment, hash, SURPLUS),
  };
  return finding(payment, "addSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
};

/** The payment keeps its proof: less came on top of it, until the hash is in a block again. */
export const surplusGone: Reading = (payment, { submittedTxHash, txHash, received }) => {
  const hash = submittedTxHash ?? txHash;
  if (verdictOn(payment, hash) !== SURPLUS) return { kind: "known" };
  const left = (payment.received_base_amount ?? payment.base_amount) - (received ?? NOTHING);
  if (received === undefined || left < payment.base_amount) return { kind: "unapplied" };
  const change = {
    received_base_amount: toAmount(left),
    other_hashes: withVerdict(payment, hash, null),
  };
  return finding(payment, "dropSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
};

/** What the payment has received, with what came on top of it. */
function withMore(payment: Payment, surplus: Amount): Amount {
  return toAmount((payment.received_base_amount ?? payment.base_amount) + surplus);
}

/** The hash is added with its verdict, so that a repetition adds nothing. */
function foundSurplus(
  payment: Payment,
  { hash, received }: { hash: string; received: Amount },
): Finding {
  const others = listOtherHashes(payment);
  if (others.length >= OTHERS_MAX) return { kind: "unapplied" };
  const change = {
    received_base_amount: withMore(payment, received),
    other_hashes: [...others, { hash, by_merchant: false, verdict: SURPLUS }],
  };
  return finding(payment, "addSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
}
