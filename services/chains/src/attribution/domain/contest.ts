// Which claimants get the transfers of a transaction. All claimants of a tenant are decided together, the better claim
// first and each on the transfers that the better ones have left, so the order of submission decides nothing but ties.
import { isId, type TxHash } from "@pay/values";
import { getKey, type Transfer } from "../../providers/domain/transfer.ts";
import type { Claimant } from "./candidate.ts";
import { type Claim, checkClaim, checkSurplus, refuted, type Verdict } from "./claim.ts";
import { isContested, type Rival } from "./hold.ts";
import {
  DECLARED_LATE,
  isKnown,
  KNOWN,
  KNOWN_LARGER,
  type Sight,
  SURPLUS,
  toClaim,
  toPlace,
  UNRANKED,
} from "./ranks.ts";

export interface Contest extends Sight {
  claimants: readonly Claimant[];
  /** Of the transaction that was found, which is another one where a submitted one was replaced. */
  txHash: TxHash;
  taken: ReadonlySet<string>;
  /** Whether the transaction is settled enough for this claim. */
  isDue(claimant: Claimant): boolean;
  /** Open payments that the transaction may be meant for, the claimants' own among them. */
  rivals: readonly Rival[];
  /** Whether the time in which a wallet may sign for it is over. */
  isOver(claimant: Claimant): boolean;
}

/** A claim is held where its transfers may be meant for another payment: a signature decides. */
export type Decision = Verdict | { outcome: "held" };

/**
 * Decisions by claimant. A claimant without one waits: for its own finality, or because a claim that ranks better or
 * equal waits for its own, which may need a greater depth.
 */
export function contest(terms: Contest): Map<bigint, Decision> {
  const ranked = terms.claimants
    .map((claimant) => ({ claimant, place: toPlace(claimant, terms) }))
    .toSorted((a, b) => byRank(a, b) || bySubmission(a.claimant, b.claimant));
  const waiting = ranked.find(({ claimant, place }) => place < UNRANKED && !terms.isDue(claimant));
  const state = readState(terms, ranked);
  let open = ranked.filter(
    (one) =>
      terms.isDue(one.claimant) &&
      (one.place === UNRANKED || waiting === undefined || byRank(one, waiting) < 0),
  );
  // What one claim wins may end the hold of others.
  for (let left = 0; left !== open.length; ) {
    left = open.length;
    open = decideOnce(open, terms, state);
  }
  return state.decisions;
}

interface Ranked {
  claimant: Claimant;
  place: number;
}

interface State {
  ranked: readonly Ranked[];
  rivals: readonly Rival[];
  /** Those whose payer was declared in time. */
  knownRivals: readonly Rival[];
  taken: Set<string>;
  /** Subjects that this transaction proves, and all that get nothing more of it. */
  proven: Set<string>;
  decided: Set<string>;
  /** What each claim would get alone of what is left. */
  alone: Map<bigint, Verdict>;
  decisions: Map<bigint, Decision>;
}

/**
 * Claimants are rivals, whether or not their payments are still watched; those whom it cannot serve are none, nor are
 * those that are cancelled.
 */
function readState(
  { claimants, rivals, taken, firstSeenAt }: Contest,
  ranked: readonly Ranked[],
): State {
  const candidates = ranked.filter(({ place }) => place < SURPLUS);
  const served = new Set(candidates.map(({ claimant }) => claimant.subjectId));
  const decided = claimants.map(({ subjectId }) => subjectId).filter((id) => !served.has(id));
  const open = candidates.filter(({ claimant }) => !claimant.isCancelled);
  const claiming = open.map(({ claimant }): Rival => {
    const { subjectId, claim, firstWins, payerDeclaredAt } = claimant;
    const { payer, baseAmount } = claim;
    const common = { subjectId, payer, payerDeclaredAt, baseAmount, firstWins };
    return { ...common, isAmbiguous: false, hasClaimed: true };
  });
  const ofPayments = claiming.filter(isOfPayment);
  const known = new Set(
    [...rivals, ...ofPayments].filter((rival) => isKnown(rival, rival.payer, firstSeenAt)),
  );
  // A payer who was known in time needs no hash to come before the first one that is named.
  const watched = rivals.map((rival) =>
    known.has(rival) ? { ...rival, firstWins: false } : rival,
  );
  return {
    ranked,
    rivals: [...watched, ...ofPayments],
    knownRivals: [...known],
    taken: new Set(taken),
    proven: new Set(),
    decided: new Set(decided),
    alone: new Map(),
    decisions: new Map(),
  };
}

/** Answers the claims that are held, which includes worse ones that would get what these are held for. */
function decideOnce(open: readonly Ranked[], terms: Contest, state: State): Ranked[] {
  const held: Ranked[] = [];
  const reserved = new Set<string>();
  for (const one of open) {
    const verdict = verdictAround(one, terms, { state, reserved });
    const isHeld = "blocked" in verdict || isHeldBack(one, verdict, terms, state);
    if (!isHeld) {
      settle(one, verdict, state);
      continue;
    }
    const pays = "blocked" in verdict ? verdict.blocked : listPays(verdict);
    for (const transfer of pays) reserved.add(getKey(transfer));
    held.push(one);
    // What is proven needs nothing: it only gets what is left.
    if (isProvenIn(one, state)) continue;
    const isOver = terms.isOver(one.claimant);
    state.decisions.set(one.claimant.id, isOver ? refuted("ambiguous", pays) : { outcome: "held" });
  }
  return held;
}

/** The verdict on what better claims have left, without what held ones wait for. */
function verdictAround(
  one: Ranked,
  terms: Contest,
  { state, reserved }: { state: State; reserved: ReadonlySet<string> },
): Verdict | { blocked: readonly Transfer[] } {
  const claimant = { ...one.claimant, isProven: isProvenIn(one, state) };
  const verdict = checkClaimant(claimant, terms, state.taken);
  if (!listPays(verdict).some((transfer) => reserved.has(getKey(transfer)))) return verdict;
  const around = checkClaimant(claimant, terms, new Set([...state.taken, ...reserved]));
  return "pays" in around ? around : { blocked: listPays(verdict) };
}

function isHeldBack(
  { claimant, place }: Ranked,
  verdict: Verdict,
  terms: Contest,
  state: State,
): boolean {
  const { ranked, decided, taken, alone, proven } = state;
  const isDecided = place < KNOWN || place >= SURPLUS || proven.has(claimant.subjectId);
  if (isDecided || !("pays" in verdict)) return false;
  const equals = ranked
    .filter(({ claimant: other }) => !decided.has(other.subjectId))
    .filter(({ claimant: other }) => other.isCancelled === claimant.isCancelled)
    .filter((other) => other.place === place || (place === KNOWN && other.place === KNOWN_LARGER))
    .map(({ claimant: other }) => {
      const known = alone.get(other.id) ?? checkClaimant(other, terms, taken);
      alone.set(other.id, known);
      return { claimant: other, alone: known };
    })
    // Where the amount is exactly what the wallet was asked for, an order of less is not meant.
    .filter((other) => place !== KNOWN || isPaidExactly(other));
  const { transfers } = terms.facts;
  const rivals = place < DECLARED_LATE ? state.knownRivals : state.rivals;
  return isContested(claimant, verdict.pays, { rivals, equals, decided, transfers, taken });
}

function isPaidExactly({ claimant, alone }: { claimant: Claimant; alone: Verdict }): boolean {
  return "pays" in alone && alone.received === claimant.claim.baseAmount;
}

function settle({ claimant }: Ranked, verdict: Verdict, state: State): void {
  const { id, subjectId } = claimant;
  if (verdict.outcome === "proven") state.proven.add(subjectId);
  for (const transfer of listPays(verdict)) {
    state.taken.add(getKey(transfer));
    state.alone.clear();
  }
  if (verdict.outcome !== "unclear") state.decided.add(subjectId);
  state.decisions.set(id, verdict);
}

function isProvenIn({ claimant }: Ranked, { proven }: State): boolean {
  return claimant.isProven || proven.has(claimant.subjectId);
}

function listPays(verdict: Verdict): readonly Transfer[] {
  return "pays" in verdict ? verdict.pays : [];
}

function isOfPayment({ subjectId }: Rival): boolean {
  return isId("pay", subjectId);
}

/** A payment that is cancelled is not meant while an open one may be. */
function byRank(a: Ranked, b: Ranked): number {
  return Number(a.claimant.isCancelled) - Number(b.claimant.isCancelled) || a.place - b.place;
}

function bySubmission(a: Claimant, b: Claimant): number {
  return a.namedOrder < b.namedOrder ? -1 : 1;
}

function checkClaimant(
  claimant: Claimant,
  { facts, txHash: foundTxHash }: Contest,
  taken: ReadonlySet<string>,
): Verdict {
  const { earlier, isProven, txHash } = claimant;
  function check(claim: Claim) {
    return isProven
      ? checkSurplus(claim, facts, taken)
      : checkClaim(claim, facts, { taken, earlier });
  }

  const checked = check(toClaim(claimant));
  // What the signer of another payment sent, and that payment got, is used before it is anything else.
  const isOfSigner = checked.outcome === "refuted" && checked.reason === "payer_mismatch";
  const unbound = isOfSigner ? check(claimant.claim) : checked;
  const isUsed = unbound.outcome === "refuted" && unbound.reason === "transfer_already_used";
  const verdict = isUsed ? unbound : checked;
  // Another transaction of the same sender that does not pay says nothing about why it does not: it is another.
  return verdict.outcome === "refuted" && txHash !== foundTxHash
    ? { outcome: "refuted", reason: "replaced" }
    : verdict;
}
