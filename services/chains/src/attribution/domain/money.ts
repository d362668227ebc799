// The money of one payment: sums of the transfers that are for it, what became of its hashes, and what it needs.
import {
  type Address,
  type Amount,
  type Needs,
  type Reason,
  type ScreeningCause,
  sumAmounts,
  type TxHash,
  toAmount,
} from "@pay/values";
import { isDust } from "./orders.ts";

/** A transfer that is for the payment. */
export interface Contribution {
  txHash: TxHash;
  sender: Address;
  value: Amount;
  arrivedAt: Date;
  blockNumber: number;
  blockTime: Date;
  isProven: boolean;
  /** One of several that were matched together: its wallet may be another customer's. */
  isOfGroup: boolean;
}

/** A wallet from which the payment takes no money without a person's decision. */
export interface ScreenedWallet {
  address: Address;
  cause: ScreeningCause;
}

/** A transfer that may be meant for the payment, which asks for a signature. */
export interface Claimable {
  txHash: TxHash;
  sender: Address;
  value: Amount;
  arrivedAt: Date;
}

export interface JudgedHash {
  txHash: TxHash;
  outcome: Outcome | undefined;
  isMined: boolean;
  replacedBy: TxHash | undefined;
  /** No provider can tell what its contracts moved. */
  needsReview: boolean;
}

export type Outcome = "counted" | Reason;

export interface Money {
  seen: Amount;
  final: Amount;
  late: Amount;
  lateFinal: Amount;
  last: { txHash: TxHash; blockNumber: number; blockTime: Date } | undefined;
  senders: { address: Address; value: Amount }[];
  hashes: Omit<JudgedHash, "needsReview">[];
  needs: Needs | undefined;
  arrived: Claimable[];
  screened: ScreenedWallet[];
  /** What of final they have sent. */
  screenedFinal: Amount;
}

const SENDERS_MAX = 10;
const ARRIVED_MAX = 5;
const SCREENED_MAX = 10;

export function sumMoney(
  { endsAt, amount }: { endsAt: Date; amount: Amount },
  {
    contributions,
    claimable,
    hashes,
    isUntraced,
    screened,
  }: {
    /** In the order of the chain. */
    contributions: readonly Contribution[];
    claimable: readonly Claimable[];
    hashes: readonly JudgedHash[];
    /** Coin of its amount came, and no provider can tell in which transaction. */
    isUntraced: boolean;
    screened: readonly ScreenedWallet[];
  },
): Money {
  const named = new Set(screened.map(({ address }) => address));
  const ofNamed = contributions.filter(({ sender }) => named.has(sender));
  const inTime = contributions.filter(({ arrivedAt }) => arrivedAt <= endsAt);
  const late = contributions.filter(({ arrivedAt }) => arrivedAt > endsAt);
  const last = contributions.at(-1);
  const seen = sum(inTime);
  const namedInTime = ofNamed.filter(({ arrivedAt }) => arrivedAt <= endsAt);
  const isReviewed =
    named.size > 0 &&
    seen - sum(namedInTime) < amount &&
    // Dust of a stranger asks nobody, unless it makes the payment whole; an authorization has moved nothing.
    (seen >= amount || ofNamed.length === 0 || !isDust(amount, sum(ofNamed)));
  return {
    seen,
    final: sum(inTime.filter(({ isProven }) => isProven)),
    late: sum(late),
    lateFinal: sum(late.filter(({ isProven }) => isProven)),
    last: last && {
      txHash: last.txHash,
      blockNumber: last.blockNumber,
      blockTime: last.blockTime,
    },
    senders: sumBySender(contributions.filter((one) => one.isProven && !one.isOfGroup)),
    hashes: hashes.filter(isTold).map(({ needsReview: _, ...hash }) => hash),
    needs: findNeeds(claimable, hashes, isUntraced || isReviewed),
    arrived: claimable.slice(-ARRIVED_MAX),
    screened: screened.slice(0, SCREENED_MAX),
    screenedFinal: sum(namedInTime.filter(({ isProven }) => isProven)),
  };
}

/** Of a hash that is still looked for there is nothing to tell. */
function isTold({ outcome, isMined, replacedBy }: JudgedHash): boolean {
  return outcome !== undefined || isMined || replacedBy !== undefined;
}

function findNeeds(
  claimable: readonly Claimable[],
  hashes: readonly JudgedHash[],
  isForPerson: boolean,
): Needs | undefined {
  if (claimable.length > 0) return "payer_signature";
  return isForPerson || hashes.some(({ needsReview }) => needsReview) ? "review" : undefined;
}

function sum(transfers: readonly { value: Amount }[]): Amount {
  return sumAmounts(transfers.map(({ value }) => value));
}

function sumBySender(contributions: readonly Contribution[]): Money["senders"] {
  const sums = new Map<Address, Amount>();
  for (const { sender, value } of contributions) {
    sums.set(sender, toAmount((sums.get(sender) ?? 0n) + value));
  }
  return [...sums]
    .map(([address, value]) => ({ address, value }))
    .toSorted((a, b) => (a.value > b.value ? -1 : 1))
    .slice(0, SENDERS_MAX);
}

/** Dust is told together with the next change that matters, or once all that came is proven. */
export function isSilent(amount: Amount, before: Money | undefined, after: Money): boolean {
  const known = before ?? NOTHING;
  const { seen: _seen, final: _final, senders: _senders, last: _last, ...rest } = after;
  const { seen, final, senders: _before, last: _lastBefore, ...same } = known;
  if (after.seen < seen || after.final < final || !isEqual(rest, same)) return false;
  if (after.final > final && after.final === after.seen) return false;
  const isNoise =
    isDust(amount, toAmount(after.seen - seen)) && isDust(amount, toAmount(after.final - final));
  if (!isNoise) return false;
  const reaches = (value: Amount, earlier: Amount) => earlier < amount && value >= amount;
  return !reaches(after.seen, seen) && !reaches(after.final, final);
}

export function isEqual(a: unknown, b: unknown): boolean {
  return stringify(a) === stringify(b);
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? one.toString() : one));
}

const ZERO = toAmount(0n);
const NOTHING: Money = {
  seen: ZERO,
  final: ZERO,
  late: ZERO,
  lateFinal: ZERO,
  last: undefined,
  senders: [],
  hashes: [],
  needs: undefined,
  arrived: [],
  screened: [],
  screenedFinal: ZERO,
};

export function isNothing(money: Money): boolean {
  return isEqual(money, NOTHING);
}
