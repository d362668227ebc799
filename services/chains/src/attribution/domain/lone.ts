// The fourth rule: a transfer that names no payment is for the one that it fits, where it fits only one. It is a guess
// as safe as the address is exclusive: money that was sent in time, of exactly what an open payment is due, once for
// each, is never given to a payment that nobody paid.
import type { TxHash } from "@pay/values";
import { type Arrival, type Decision, several, type Unmatched } from "./decision.ts";
import { isDust, type Order, type Orders } from "./orders.ts";

export type Lone =
  | { kind: "decided"; decision: Decision }
  /** Several payments are due exactly this. */
  | { kind: "several"; candidates: readonly string[] };

interface Submitted {
  submitted: ReadonlyMap<TxHash, readonly string[]>;
}

export function findLone(arrival: Arrival, book: Orders, { submitted }: Submitted): Lone {
  const exact = book.exactlyDue(arrival);
  if (exact.length > 1) return { kind: "several", candidates: ids(exact) };
  const [only] = exact;
  if (only !== undefined) return decided(give(only, arrival));
  const byHash = submitted.get(arrival.txHash) ?? [];
  return decided(fitOthers(arrival, book, byHash));
}

/** None is due exactly this. */
function fitOthers(arrival: Arrival, book: Orders, byHash: readonly string[]): Decision {
  const { value } = arrival;
  const due = book.due(arrival);
  function unmatched(reason: Unmatched, candidates: readonly Order[]): Decision {
    const found = ids(candidates);
    return { reason, candidates: found, unsigned: found.filter((id) => byHash.includes(id)) };
  }

  const late = book.exactlyDueLate(arrival);
  const [lateOne] = late;
  if (lateOne !== undefined) {
    const isPartOfOpen = due.some(({ paymentId }) => book.left(paymentId) > value);
    if (late.length === 1 && !isPartOfOpen) return give(lateOne, arrival);
    return unmatched("several_fit", [...due, ...late]);
  }
  const [one, ...others] = due;
  if (one === undefined) {
    const ended = byHash.some(
      (id) => (book.get(id)?.endsAt ?? arrival.arrivedAt) < arrival.arrivedAt,
    );
    return unmatched(ended ? "late" : "no_payment", []);
  }
  if (due.every(({ paymentId }) => value > book.left(paymentId))) {
    return unmatched("more_than_due", due);
  }
  if (others.length === 0) return give(one, arrival);
  const isNoise = due.every(({ amount }) => isDust(amount, value));
  return isNoise ? unmatched("dust", []) : unmatched("several_fit", due);
}

/** A payment that another wallet has signed takes nothing of a stranger. */
function give({ paymentId, signedBy, isHeld }: Order, { sender }: Arrival): Decision {
  if (signedBy !== undefined && signedBy !== sender) return several([paymentId], [paymentId]);
  if (isHeld) return { reason: "held", candidates: [paymentId], unsigned: [paymentId] };
  return { paymentId, rule: "lone" };
}

function decided(decision: Decision): Lone {
  return { kind: "decided", decision };
}

function ids(orders: readonly Order[]): string[] {
  return orders.map(({ paymentId }) => paymentId);
}
