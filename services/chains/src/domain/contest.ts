// Which claimants get the transfers of a transaction. All claimants of a tenant are decided together, the better claim
// first and each on the transfers that the better ones have left, so the order of submission decides nothing but ties.
import type { Claimant } from "./candidate.ts";
import { type Claim, checkClaim, checkSurplus, type Facts, match, type Verdict } from "./claim.ts";
import { keyOf, type Transfer } from "./transfer.ts";

export interface Contest {
  claimants: readonly Claimant[];
  /** Of the transaction that was found, which is another one where a submitted one was replaced. */
  txHash: string;
  facts: Facts;
  taken: ReadonlySet<string>;
  /** When the transaction was first shown to us, pending or mined. */
  firstSeenAt: Date;
  /** Whether the transaction is settled enough for this claim. */
  isDue(claimant: Claimant): boolean;
}

/** Best first. A claim has the first rank that fits it; one that the transaction cannot serve at all has none. */
export const RANKS = [
  "signed",
  "known",
  "declared_late",
  "exact",
  "larger",
  "found",
  "surplus",
] as const;
export type Rank = (typeof RANKS)[number];

type Fits = (claimant: Claimant, matching: readonly Transfer[], firstSeenAt: Date) => boolean;

const FITS: Readonly<Record<Exclude<Rank, "surplus">, Fits>> = {
  signed: ({ claim, isSigned }) => isSigned && claim.payer !== undefined,
  // A merchant can deceive only itself. Before the transaction was seen, only its sender could know who would send it.
  known: ({ merchantSubmitted, claim, payerDeclaredAt }, _, firstSeenAt) =>
    merchantSubmitted ||
    (claim.payer !== undefined && payerDeclaredAt !== undefined && payerDeclaredAt < firstSeenAt),
  declared_late: ({ claim, found }) => !found && claim.payer !== undefined,
  exact: ({ claim, found }, matching) =>
    !found && matching.some(({ value }) => value === claim.baseAmount),
  larger: ({ found }) => !found,
  found: () => true,
};

export function rankOf(
  claimant: Claimant,
  { facts, firstSeenAt }: Pick<Contest, "facts" | "firstSeenAt">,
): Rank | undefined {
  const { isProven } = claimant;
  const claim = claimOf(claimant);
  const matched = match(isProven ? { ...claim, notAfter: undefined } : claim, facts);
  if ("outcome" in matched) return undefined;
  if (isProven) return "surplus";
  return RANKS.find(
    (rank) => rank !== "surplus" && FITS[rank](claimant, matched.matching, firstSeenAt),
  );
}

/**
 * Verdicts by claimant. A claimant without one waits: for its own finality, or because a claim that ranks better or
 * equal waits for its own, which may need a greater depth.
 */
export function contest(terms: Contest): Map<bigint, Verdict> {
  const ranked = terms.claimants
    .map((claimant) => ({ claimant, place: placeOf(rankOf(claimant, terms)) }))
    .toSorted((a, b) => a.place - b.place || bySubmission(a.claimant, b.claimant));
  const heldFrom = Math.min(
    ...ranked.flatMap(({ claimant, place }) =>
      place < UNRANKED && !terms.isDue(claimant) ? place : UNRANKED,
    ),
  );
  const taken = new Set(terms.taken);
  const proven = new Set<string>();
  const verdicts = new Map<bigint, Verdict>();
  for (const { claimant, place } of ranked) {
    if (!terms.isDue(claimant) || (place < UNRANKED && place >= heldFrom)) continue;
    const isProven = claimant.isProven || proven.has(claimant.subjectId);
    const verdict = checkClaimant({ ...claimant, isProven }, terms, taken);
    if (verdict.outcome === "proven") proven.add(claimant.subjectId);
    if ("pays" in verdict) for (const transfer of verdict.pays) taken.add(keyOf(transfer));
    verdicts.set(claimant.id, verdict);
  }
  return verdicts;
}

const UNRANKED = RANKS.length;
function placeOf(rank: Rank | undefined): number {
  return rank === undefined ? UNRANKED : RANKS.indexOf(rank);
}

function bySubmission(a: Claimant, b: Claimant): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1);
}

/** What a wallet has signed for, no one else is given, not even the merchant that names the hash. */
function claimOf({ claim, isSigned, signedElsewhere }: Claimant): Claim {
  return isSigned ? claim : { ...claim, notFrom: signedElsewhere };
}

function checkClaimant(
  claimant: Claimant,
  { facts, txHash: foundTxHash }: Contest,
  taken: ReadonlySet<string>,
): Verdict {
  const { earlier, isProven, txHash } = claimant;
  const claim = claimOf(claimant);
  const verdict = isProven
    ? checkSurplus(claim, facts, taken)
    : checkClaim(claim, facts, { taken, earlier });
  // Another transaction of the same sender that does not pay says nothing about why it does not: it is another.
  return verdict.outcome === "refuted" && txHash !== foundTxHash
    ? { outcome: "refuted", reason: "replaced" }
    : verdict;
}
