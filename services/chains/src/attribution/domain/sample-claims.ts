// Claims to one transaction, for tests of who gets what of it.
import { derivedId, toAddress, toAmount, toChainId, toTxHash } from "@pay/values";
import { NATIVE, type Transfer } from "../../providers/domain/transfer.ts";
import type { Claimant } from "./candidate.ts";
import type { Claim, Facts } from "./claim.ts";
import { type Contest, contest } from "./contest.ts";
import type { Rival } from "./hold.ts";

const SHOP = toAddress("0x1111111111111111111111111111111111111111");
export const BUYER = toAddress("0x2222222222222222222222222222222222222222");
export const OTHER = toAddress("0x3333333333333333333333333333333333333333");
const HASH = toTxHash(`0x${"aa".repeat(32)}`);
export const NOON = new Date("2026-03-01T12:00:00Z");
export function minutes(count: number) {
  return new Date(NOON.getTime() + count * 60_000);
}

/** Changes of a record, whose amount a test writes as a plain number. */
export type Change<T> = Partial<Omit<T, "baseAmount">> & { baseAmount?: bigint };

let ids = 0n;
export function claimant(
  change: Partial<Omit<Claimant, "claim">> & { claim?: Change<Claim> } = {},
): Claimant {
  return {
    id: ++ids,
    subjectId: derivedId("pay", `${ids}`),
    projectId: "proj_1",
    mode: 2,
    requestId: "",
    chainId: toChainId(1),
    txHash: HASH,
    attempt: 2,
    found: false,
    askedAt: undefined,
    misses: 0,
    epoch: 0,
    reorgedAt: undefined,
    sender: undefined,
    firstSeenAt: undefined,
    lookedAt: undefined,
    isMined: false,
    needs: undefined,
    needsTurn: 0,
    payerDeclaredAt: undefined,
    merchantSubmitted: false,
    giveUpAt: minutes(90),
    createdAt: NOON,
    namedOrder: ids,
    isProven: false,
    firstWins: true,
    isCancelled: false,
    judgedHashes: 0,
    earlier: [],
    isSigned: false,
    signedElsewhere: new Set(),
    ...change,
    claim: {
      recipient: SHOP,
      currency: NATIVE,
      payer: undefined,
      notBefore: minutes(-1),
      notAfter: minutes(30),
      ...change.claim,
      baseAmount: toAmount(change.claim?.baseAmount ?? 100n),
    },
  };
}

export function declared(
  payerDeclaredAt: Date | undefined,
  payer = BUYER,
  claim: Change<Claim> = {},
) {
  return claimant({ payerDeclaredAt, claim: { ...claim, payer } });
}

export function signed(claim: Change<Claim> = {}) {
  return claimant({ isSigned: true, claim: { ...claim, payer: BUYER } });
}

let ordinal = 0;
export function transfer(value: bigint, sender = BUYER): Transfer {
  return {
    txHash: HASH,
    kind: "trace",
    ordinal: ordinal++,
    currency: NATIVE,
    value: toAmount(value),
    sender,
    recipient: SHOP,
  };
}

export function makeFacts(...transfers: Transfer[]): Facts {
  return { succeeded: true, blockTime: NOON, complete: true, transfers };
}

export function decide(claimants: Claimant[], facts: Facts, change: Partial<Contest> = {}) {
  return contest({
    claimants,
    facts,
    txHash: HASH,
    taken: new Set(),
    firstSeenAt: NOON,
    rivals: [],
    isDue: () => true,
    isOver: () => false,
    ...change,
  });
}

/** Of each claimant: what it got, why it got nothing, or that it waits. */
export function outcomes(claimants: Claimant[], ...rest: [Facts, Partial<Contest>?]): string[] {
  const verdicts = decide(claimants, ...rest);
  return claimants.map(({ id }) => {
    const verdict = verdicts.get(id);
    if (verdict === undefined) return "waits";
    return verdict.outcome === "refuted" ? verdict.reason : verdict.outcome;
  });
}

export function held(change: Parameters<typeof claimant>[0] = {}) {
  return claimant({ firstWins: false, ...change });
}

export function rival(change: Change<Rival> = {}): Rival {
  return {
    subjectId: derivedId("pay", `rival ${++ids}`),
    payer: undefined,
    payerDeclaredAt: undefined,
    firstWins: false,
    isAmbiguous: false,
    hasClaimed: false,
    ...change,
    baseAmount: toAmount(change.baseAmount ?? 100n),
  };
}
