// Which payment each transfer to one wallet of a tenant is for. Pure: the same facts give the same result, in whatever
// order they became known. The first rule that fits decides:
//
// 1. A transfer that the tenant itself waits for (a refund or a settlement to this wallet), or that comes from a
//    deposit address, is for none.
// 2. It was sent to the deposit address of a payment, or its call names a payment of this wallet: any amount, any time.
//    One that names another payment is for none here, unless the merchant assigns it.
// 3. The merchant has assigned it: any amount, any time.
// 4. Its wallet has signed for a payment: any amount, in time, where no other payment is due exactly that.
// 5. It names none and fits exactly one payment that was open at its block (lone.ts), which wants unnamed transfers.
// 6. Else it is for none, and those that it may be meant for can ask for a signature.
//
// Nothing is decided by who came first, by when something was seen, or by an unsigned word. Transfers are taken in the
// order of the chain, and each sees the payments as they were at its place: nothing later removes a candidate.
import type { Address, TxHash } from "@pay/values";
import { type Arrival, type Decision, several, type Unmatched } from "./decision.ts";
import { Groups } from "./groups.ts";
import { findLone } from "./lone.ts";
import { isOpenAt, type Order, Orders } from "./orders.ts";

/** What people and the tenant's own money say about transfers. */
export interface Words {
  /** Payments by the hash that the merchant has assigned to them, in that order. */
  assigned: ReadonlyMap<TxHash, readonly string[]>;
  /** Payments by the hash that was submitted for them: a request to look, never a claim. */
  submitted: ReadonlyMap<TxHash, readonly string[]>;
  /** The tenant's own wallets. */
  ownWallets: ReadonlySet<Address>;
  /** Wallets whose transfers here are refunds or settlements of the tenant. */
  payoutSources: ReadonlySet<Address>;
  /** Deposit addresses, of whichever tenant. */
  sweptAddresses: ReadonlySet<Address>;
}

export interface WalletFacts {
  orders: readonly Order[];
  /** In the order of the chain. */
  arrivals: readonly Arrival[];
  words: Words;
  /** How much later than a block its payment may have been opened. */
  slackMs: number;
}

export function attribute({
  orders,
  arrivals,
  words,
  slackMs,
}: WalletFacts): Map<bigint, Decision> {
  const decisions = new Map<bigint, Decision>();
  const book = new Orders(orders, slackMs);
  const groups = new Groups(book);

  function take(arrival: Arrival, decision: Decision) {
    decisions.set(arrival.id, decision);
    if ("paymentId" in decision) book.credit(decision.paymentId, arrival.value);
  }

  for (const arrival of arrivals) {
    const decision = arrival.fixed ?? decide(arrival, { book, words }) ?? arrival.grouped;
    if (decision !== undefined) {
      take(arrival, decision);
      continue;
    }
    const lone = findLone(arrival, book, words);
    if (lone.kind === "decided") {
      take(arrival, lone.decision);
      continue;
    }
    // Several are due exactly this: it waits for as many transfers as there are payments.
    decisions.set(arrival.id, several(lone.candidates, lone.candidates));
    const given = groups.add(arrival, lone.candidates);
    for (const [member, paymentId] of given) {
      take(member, { paymentId, rule: "group", group: [...given.values()] });
    }
  }
  return decisions;
}

function none(reason: Unmatched): Decision {
  return { reason, candidates: [], unsigned: [] };
}

/** Rules 1 to 4, and own wallets; undefined where no rule but the fifth can decide. */
function decide(
  arrival: Arrival,
  { book, words }: { book: Orders; words: Words },
): Decision | undefined {
  const { txHash, sender, value, name, isDeposit, isAuthorized } = arrival;
  if (words.payoutSources.has(sender)) return none("payout");
  if (words.sweptAddresses.has(sender)) return none("sweep");
  if (name?.kind === "here") {
    const signed = isAuthorized ? "authorization" : "reference";
    return { paymentId: name.paymentId, rule: isDeposit ? "address" : signed };
  }
  const assigned = words.assigned.get(txHash) ?? [];
  const chosen =
    assigned.find((id) => book.isExactlyDue(id, value)) ??
    assigned.find((id) => book.left(id) > 0n) ??
    assigned[0];
  if (chosen !== undefined) return { paymentId: chosen, rule: "merchant" };
  if (name?.kind === "elsewhere") {
    const candidates = name.paymentId === undefined ? [] : [name.paymentId];
    const reason = isDeposit ? "wrong_currency" : "named_elsewhere";
    return { reason, candidates, unsigned: [] };
  }
  const signed = decideBySignature(arrival, book);
  if (signed !== undefined) return signed;
  const submitted = words.submitted.get(txHash);
  if (words.ownWallets.has(sender) && submitted === undefined) return none("own_wallet");
  return (
    name && { reason: "unknown_reference", candidates: submitted ?? [], unsigned: submitted ?? [] }
  );
}

/**
 * A wallet that has signed several payments pays the first opened one that is due exactly this. Of another amount it
 * pays its only one, unless a payment of somebody else is due exactly that: then nobody is, before a person says more.
 */
function decideBySignature(arrival: Arrival, book: Orders): Decision | undefined {
  const { sender, value } = arrival;
  const signed = book
    .list()
    .filter(
      (order) => order.signedBy === sender && isOpenAt(order, arrival.arrivedAt, book.slackMs),
    );
  const exact = signed.find(({ paymentId }) => book.isExactlyDue(paymentId, value));
  if (exact !== undefined) return { paymentId: exact.paymentId, rule: "signature" };
  const due = signed.filter(({ paymentId }) => book.left(paymentId) > 0n);
  // The amount of one that is paid already: it may be meant for that one again.
  const isAgain = signed.some(({ amount }) => amount === value);
  const [first, ...others] = due.length > 0 && !isAgain ? due : signed;
  if (first === undefined) return undefined;
  const strangers = toIds(book.exactlyDue(arrival));
  // What its wallet sends on top of a paid payment may be for the open one that it fits.
  if (due.length === 0 && !isAgain && strangers.length > 0) return undefined;
  if (others.length === 0 && strangers.length === 0) {
    return { paymentId: first.paymentId, rule: "signature" };
  }
  return several([...toIds([first, ...others]), ...strangers], strangers);
}

function toIds(orders: readonly Order[]): string[] {
  return orders.map(({ paymentId }) => paymentId);
}
