// Whether a mined transaction pays what is owed. Pure: the same facts give the same verdict, so a verdict can be
// repeated at any time. The verdict "unclear" is not final: the transaction is verified again later.
import { type Address, type Amount, type Currency, type Reason, sumAmounts } from "@pay/values";
import { getKey, NATIVE, type Transfer } from "../../providers/domain/transfer.ts";

/** What has to be shown by a payment or a refund: at least the amount. */
export interface Claim {
  recipient: Address;
  currency: Currency;
  /** Only transfers from this address count, when given. */
  payer: Address | undefined;
  /** Further senders whose transfers count besides the payer's. */
  otherPayers?: readonly Address[];
  /** Senders whose transfers belong to something else. */
  notFrom?: ReadonlySet<Address>;
  baseAmount: Amount;
  /** Bounds of the block's time. */
  notBefore: Date;
  notAfter: Date | undefined;
}

/** What the transaction did. */
export interface Facts {
  succeeded: boolean;
  blockTime: Date;
  transfers: readonly Transfer[];
  /** False where contracts may have moved native coin and no provider could tell. */
  complete: boolean;
}

/** Other transfers that the verdict depends on. */
export interface RelatedTransfers {
  /** Keys of transfers that pay something else of the tenant already. */
  taken: ReadonlySet<string>;
  /** Unused transfers that earlier transactions for the same payment brought. */
  earlier: readonly Transfer[];
}

interface Refuted {
  outcome: "refuted";
  reason: Reason;
  received?: Amount;
  sender?: Address;
}

export type Verdict =
  | {
      outcome: "proven" | "surplus";
      pays: Transfer[];
      received: Amount;
      sender: Address | undefined;
    }
  | Refuted
  | { outcome: "unclear" };

/** A verdict that is published. */
export type FinalVerdict = Exclude<Verdict, { outcome: "unclear" }>;

export function checkClaim(
  claim: Claim,
  facts: Facts,
  { taken, earlier }: RelatedTransfers,
): Verdict {
  const matched = match(claim, facts);
  if ("outcome" in matched) return matched;
  const { matching } = matched;
  function isFree(transfer: Transfer) {
    return isOfPayer(claim, transfer) && !taken.has(getKey(transfer));
  }

  const unused = matching.filter(isFree);
  const before = earlier.filter(isFree);
  const pays = choose(claim, unused, before);
  if (pays !== undefined) return found("proven", pays);
  if (unused.length === 0 || choose(claim, matching, before) !== undefined) {
    return refuted("transfer_already_used", matching);
  }
  return refuted("underpaid", [...unused, ...before]);
}

/** What a transaction adds to a payment or refund that another one has proven: any amount, however late. */
export function checkSurplus(claim: Claim, facts: Facts, taken: ReadonlySet<string>): Verdict {
  const matched = match({ ...claim, notAfter: undefined }, facts);
  if ("outcome" in matched) return matched;
  const unused = matched.matching.filter((transfer) => !taken.has(getKey(transfer)));
  return unused.length === 0
    ? refuted("transfer_already_used", matched.matching)
    : found("surplus", unused);
}

/** The transfers that the claim may be about, or why there are none. */
export function match(
  claim: Claim,
  facts: Facts,
): { matching: Transfer[] } | Exclude<Verdict, { outcome: "proven" | "surplus" }> {
  if (!facts.succeeded) return { outcome: "refuted", reason: "reverted" };
  const arrived = transfersTo(claim, facts.transfers);
  if (arrived.length === 0) return nothingArrived(claim, facts);
  const matching = arrived.filter((transfer) => isOfPayer(claim, transfer));
  if (matching.length === 0) return refuted("payer_mismatch", arrived);
  if (facts.blockTime < claim.notBefore) return refuted("predates_payment", matching);
  if (claim.notAfter !== undefined && facts.blockTime > claim.notAfter) {
    return refuted("late", matching);
  }
  return { matching };
}

/** The transfers that reached the recipient in the right currency; one to oneself is no payment. */
export function transfersTo(
  { recipient, currency }: Pick<Claim, "recipient" | "currency">,
  transfers: readonly Transfer[],
): Transfer[] {
  return transfers.filter(
    (transfer) =>
      transfer.recipient === recipient &&
      transfer.currency === currency &&
      transfer.sender !== recipient,
  );
}

function isOfPayer({ payer, otherPayers = [], notFrom }: Claim, { sender }: Transfer): boolean {
  if (notFrom?.has(sender)) return false;
  return payer === undefined || payer === sender || otherPayers.includes(sender);
}

function found(outcome: "proven" | "surplus", pays: Transfer[]): Verdict {
  return { outcome, pays, received: sum(pays), sender: pays[0]?.sender };
}

export function refuted(reason: Reason, transfers: readonly Transfer[]): Refuted {
  return {
    outcome: "refuted",
    reason,
    received: sum(transfers),
    ...(transfers[0] === undefined ? {} : { sender: transfers[0].sender }),
  };
}

function nothingArrived(
  claim: Claim,
  { transfers, complete }: Facts,
): Refuted | { outcome: "unclear" } {
  if (claim.currency === NATIVE && !complete) return { outcome: "unclear" };
  const other = transfers.find(
    ({ recipient, sender }) => recipient === claim.recipient && sender !== recipient,
  );
  return other === undefined
    ? { outcome: "refuted", reason: "recipient_mismatch" }
    : { outcome: "refuted", reason: "wrong_token", sender: other.sender };
}

/**
 * As few transfers as prove the claim, so that others of the same transaction can pay something else: the one of
 * exactly the amount, else the smallest one above it, else the largest together. Undefined: not enough.
 */
function choose(
  { baseAmount }: Claim,
  free: readonly Transfer[],
  earlier: readonly Transfer[],
): Transfer[] | undefined {
  const same = free.find(({ value }) => value === baseAmount);
  if (same !== undefined) return [same];
  if (free.length === 0) return undefined;
  const largestFirst = free.toSorted((a, b) => (a.value > b.value ? -1 : 1));
  const enough = largestFirst.findLast(({ value }) => value > baseAmount);
  if (enough !== undefined) return [enough];
  const taken: Transfer[] = [];
  for (const transfer of [...largestFirst, ...earlier]) {
    taken.push(transfer);
    if (sum(taken) >= baseAmount) return taken;
  }
  return undefined;
}

function sum(transfers: readonly Transfer[]): Amount {
  return sumAmounts(transfers.map(({ value }) => value));
}
