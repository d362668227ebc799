// How good the claims of a transaction are, compared with each other.
import type { Address } from "@pay/values";
import type { Transfer } from "../../providers/domain/transfer.ts";
import type { Claimant } from "./candidate.ts";
import { type Claim, type Facts, match } from "./claim.ts";

/** What was seen of the transaction. */
export interface Sight {
  facts: Facts;
  /** When it was first shown to us, pending or mined. */
  firstSeenAt: Date;
}

/** Best first. A claim has the first rank that fits it; one that the transaction cannot serve at all has none. */
const RANKS = [
  "signed",
  "merchant",
  "known",
  "known_larger",
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
  // A merchant can deceive only itself.
  merchant: ({ merchantSubmitted }) => merchantSubmitted,
  // Before the transaction was seen, its sender could say who would send it, and so could a stranger who expects it.
  known: (claimant, matching, firstSeenAt) =>
    isKnown(claimant, claimant.claim.payer, firstSeenAt) && isExact(claimant, matching),
  known_larger: (claimant, _, firstSeenAt) => isKnown(claimant, claimant.claim.payer, firstSeenAt),
  declared_late: ({ claim, found }) => !found && claim.payer !== undefined,
  exact: (claimant, matching) => !claimant.found && isExact(claimant, matching),
  larger: ({ found }) => !found,
  found: () => true,
};

/** Whether the payer was declared before the transaction was first seen. */
export function isKnown(
  { payerDeclaredAt }: Pick<Claimant, "payerDeclaredAt">,
  payer: Address | undefined,
  firstSeenAt: Date,
): boolean {
  return payer !== undefined && payerDeclaredAt !== undefined && payerDeclaredAt < firstSeenAt;
}

function isExact({ claim }: Claimant, matching: readonly Transfer[]): boolean {
  return matching.some(({ value }) => value === claim.baseAmount);
}

export function computeRank(claimant: Claimant, { facts, firstSeenAt }: Sight): Rank | undefined {
  const { isProven } = claimant;
  const claim = toClaim(claimant);
  const matched = match(isProven ? { ...claim, notAfter: undefined } : claim, facts);
  if ("outcome" in matched) return undefined;
  if (isProven) return "surplus";
  return RANKS.find(
    (rank) => rank !== "surplus" && FITS[rank](claimant, matched.matching, firstSeenAt),
  );
}

/** What a wallet has signed for, no one else is given, not even the merchant that names the hash. */
export function toClaim({ claim, isSigned, signedElsewhere }: Claimant): Claim {
  return isSigned ? claim : { ...claim, notFrom: signedElsewhere };
}

export const KNOWN = RANKS.indexOf("known");
export const KNOWN_LARGER = RANKS.indexOf("known_larger");
export const DECLARED_LATE = RANKS.indexOf("declared_late");
export const SURPLUS = RANKS.indexOf("surplus");
export const UNRANKED = RANKS.length;

/** Its rank as a number, the best first. */
export function toPlace(claimant: Claimant, sight: Sight): number {
  const rank = computeRank(claimant, sight);
  return rank === undefined ? UNRANKED : RANKS.indexOf(rank);
}
