// Money that came on top of a paid amount.
import { type Amount, toAmount } from "@pay/values";
import { isCancelled } from "./change.ts";
import { findVerdict, hasHash, listOtherHashes, OTHERS_MAX, setVerdict } from "./hashes.ts";
import { type ObservationHandler, type Outcome, tryMove } from "./outcome.ts";
import type { Payment } from "./payment.ts";

export const SURPLUS = "surplus";
const NOTHING = toAmount(0n);

export const onSurplus: ObservationHandler = (
  payment,
  { submittedTxHash, txHash, found, received = NOTHING },
) => {
  // The merchant decides about it together with the proof, and chains sends both again then.
  if (isCancelled(payment)) return { kind: "late", txHash };
  const hash = submittedTxHash ?? txHash;
  if (found && !hasHash(payment, hash)) return addFoundSurplus(payment, { hash, received });
  const verdict = findVerdict(payment, hash);
  if (verdict === SURPLUS) return { kind: "unchanged" };
  // Without a place for its verdict a repetition would add the surplus again.
  if (verdict === undefined) return { kind: "unapplied" };
  const change = {
    received_base_amount: addAmount(payment, received),
    other_hashes: setVerdict(payment, hash, SURPLUS),
  };
  return tryMove(payment, "addSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
};

/** The payment keeps its proof and loses the surplus until the hash is in a block again. */
export const onSurplusRevoked: ObservationHandler = (
  payment,
  { submittedTxHash, txHash, received },
) => {
  const hash = submittedTxHash ?? txHash;
  if (findVerdict(payment, hash) !== SURPLUS) return { kind: "unchanged" };
  const left = (payment.received_base_amount ?? payment.base_amount) - (received ?? NOTHING);
  if (received === undefined || left < payment.base_amount) return { kind: "unapplied" };
  const change = {
    received_base_amount: toAmount(left),
    other_hashes: setVerdict(payment, hash, null),
  };
  return tryMove(payment, "dropSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
};

function addAmount(payment: Payment, surplus: Amount): Amount {
  return toAmount((payment.received_base_amount ?? payment.base_amount) + surplus);
}

/** The hash is added with its verdict, so that a repetition adds nothing. */
function addFoundSurplus(
  payment: Payment,
  { hash, received }: { hash: string; received: Amount },
): Outcome {
  const others = listOtherHashes(payment);
  if (others.length >= OTHERS_MAX) return { kind: "unapplied" };
  const change = {
    received_base_amount: addAmount(payment, received),
    other_hashes: [...others, { hash, by_merchant: false, verdict: SURPLUS }],
  };
  return tryMove(payment, "addSurplus", change, { kind: "unapplied" }, { hash, verdict: null });
}
