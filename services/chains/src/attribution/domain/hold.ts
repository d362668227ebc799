// Whether a transfer may be meant for another payment as well, so that a claim to it that no wallet has signed is
// held: anyone who watches the chain can name a hash, and its sender, once it was seen.
import { type Address, type Amount, isId } from "@pay/values";
import { getKey, type Transfer } from "../../providers/domain/transfer.ts";
import type { Claimant } from "./candidate.ts";
import { transfersTo, type Verdict } from "./claim.ts";

/** An open payment that the transaction may be meant for. */
export interface Rival {
  subjectId: string;
  payer: Address | undefined;
  payerDeclaredAt: Date | undefined;
  baseAmount: Amount;
  /** Its project lets the first claim win where none is signed. */
  firstWins: boolean;
  /** It has claimed the transaction, and no wallet has signed in time: its claim stays as good as it was. */
  isAmbiguous: boolean;
  /** It is one because it claims the transaction, however late it was opened. */
  hasClaimed: boolean;
}

export interface Contenders {
  /** Payments that the transaction may be meant for. */
  rivals: readonly Rival[];
  /** Claimants whose claim is as good, each with the verdict that it would get alone. */
  equals: readonly { claimant: Claimant; alone: Verdict }[];
  /** Subjects that are decided: what they got is taken, and they get nothing more. */
  decided: ReadonlySet<string>;
  /** All transfers of the transaction, and the keys of those that are not free. */
  transfers: readonly Transfer[];
  taken: ReadonlySet<string>;
}

/**
 * Whether the transfers that would pay the claim could pay another payment as well. Where there are as many free
 * transfers of exactly the amount as payments that may get one, each gets one, and nothing is contested.
 */
export function isContested(
  claimant: Claimant,
  pays: readonly Transfer[],
  contenders: Contenders,
): boolean {
  const others = othersFor(claimant, pays, contenders);
  const [transfer] = pays;
  if (others.size === 0 || transfer === undefined) return false;
  if (pays.length > 1) return true;
  const payers = [claimant.claim.payer, ...others.values()];
  const suitable = transfersTo(claimant.claim, contenders.transfers).filter(
    (one) =>
      one.value === transfer.value &&
      !claimant.signedElsewhere.has(one.sender) &&
      !contenders.taken.has(getKey(one)) &&
      payers.every((payer) => payer === undefined || payer === one.sender),
  );
  return suitable.length <= others.size;
}

/** The declared payers of the other payments, by the payment. */
function othersFor(
  { subjectId, claim, firstWins, found, askedAt }: Claimant,
  pays: readonly Transfer[],
  { rivals, equals, decided }: Contenders,
): Map<string, Address | undefined> {
  const others = new Map<string, Address | undefined>();
  function add(rival: Pick<Rival, "subjectId" | "payer" | "firstWins" | "hasClaimed">) {
    if (rival.subjectId === subjectId || decided.has(rival.subjectId)) return;
    // A transfer that no one names has no first claim; where only the chain names it, none before a payment that was
    // open.
    const isUnnamed = found || (askedAt !== undefined && !rival.hasClaimed);
    if (firstWins && rival.firstWins && !isUnnamed) return;
    others.set(rival.subjectId, rival.payer);
  }

  for (const rival of rivals) {
    const isMeant = pays.some(
      ({ sender, value }) =>
        (rival.payer === undefined || rival.payer === sender) &&
        (rival.isAmbiguous || rival.baseAmount === value || rival.baseAmount === claim.baseAmount),
    );
    if (isMeant) add(rival);
  }
  const keys = new Set(pays.map(getKey));
  for (const { claimant: other, alone } of equals) {
    if (!isId("pay", other.subjectId) || !("pays" in alone)) continue;
    const { firstWins: first, claim: theirs } = other;
    if (alone.pays.some((one) => keys.has(getKey(one)))) {
      const { subjectId: id } = other;
      add({ subjectId: id, payer: theirs.payer, firstWins: first, hasClaimed: true });
    }
  }
  return others;
}
