// What a mined transaction says about what is owed. Pure: the same facts give the same finding, so a judgement
// can be repeated by anybody at any time. A finding of "unclear" is no finding: it is asked again later.
import { keyOf, NATIVE, type Transfer } from "./transfer.ts";

export const REASONS = [
  "reverted",
  "recipient_mismatch",
  "wrong_token",
  "payer_mismatch",
  "predates_payment",
  "late",
  "transfer_already_used",
  "underpaid",
  "amount_mismatch",
  "replaced",
] as const;
export type Reason = (typeof REASONS)[number];

/** What has to be shown: by a payment (at least the amount) or a refund (exactly the amount). */
export interface Claim {
  recipient: string;
  currency: string;
  /** Only transfers from this address count, when given. */
  payer: string | undefined;
  baseAmount: bigint;
  exact: boolean;
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

/** What is known besides the transaction. */
export interface Surroundings {
  /** Keys of transfers that pay something else already. */
  taken: ReadonlySet<string>;
  /** Declared payers of other open payments of the same amount to the same recipient. */
  payersElsewhere: ReadonlySet<string>;
  /** Unused transfers that earlier transactions for the same payment brought. */
  earlier: readonly Transfer[];
}

export type Finding =
  | { outcome: "proven"; pays: Transfer[]; received: bigint; sender: string }
  | { outcome: "refuted"; reason: Reason; received?: bigint; sender?: string }
  | { outcome: "unclear"; why: "native_movements_unknown" | "held_for_another_payment" };

export const judge = (claim: Claim, facts: Facts, around: Surroundings): Finding => {
  if (!facts.succeeded) return { outcome: "refuted", reason: "reverted" };
  const arrived = transfersTo(claim, facts.transfers);
  if (arrived.length === 0) return nothingArrived(claim, facts);
  const matching = arrived.filter(({ sender }) => sender === (claim.payer ?? sender));
  const refuted = (reason: Reason, transfers: readonly Transfer[]): Finding => ({
    ...{ outcome: "refuted", reason, received: sum(transfers) },
    ...(transfers[0] === undefined ? {} : { sender: transfers[0].sender }),
  });
  if (matching.length === 0) return refuted("payer_mismatch", arrived);
  if (facts.blockTime < claim.notBefore) return refuted("predates_payment", matching);
  if (claim.notAfter !== undefined && facts.blockTime > claim.notAfter) {
    return refuted("late", matching);
  }

  const { taken, payersElsewhere, earlier } = around;
  const unused = matching.filter((transfer) => !taken.has(keyOf(transfer)));
  // Somebody who named the paying address must not be robbed by somebody who named none.
  const isFree = ({ sender }: Transfer) =>
    claim.payer !== undefined || !payersElsewhere.has(sender);
  const pays = choose(claim, unused.filter(isFree), earlier.filter(isFree));
  if (pays !== undefined) {
    const sender = pays[0]?.sender ?? "";
    return { outcome: "proven", pays, received: sum(pays), sender };
  }
  if (choose(claim, unused, earlier) !== undefined) {
    return { outcome: "unclear", why: "held_for_another_payment" };
  }
  if (unused.length === 0 || choose(claim, matching, earlier) !== undefined) {
    return refuted("transfer_already_used", matching);
  }
  const all = [...unused, ...earlier];
  return refuted(sum(all) < claim.baseAmount ? "underpaid" : "amount_mismatch", all);
};

/** The transfers that reached the recipient in the right currency; one to oneself is no payment. */
export const transfersTo = (
  { recipient, currency }: Pick<Claim, "recipient" | "currency">,
  transfers: readonly Transfer[],
): Transfer[] =>
  transfers.filter(
    (transfer) =>
      transfer.recipient === recipient &&
      transfer.currency === currency &&
      transfer.sender !== recipient,
  );

const nothingArrived = (claim: Claim, { transfers, complete }: Facts): Finding => {
  if (claim.currency === NATIVE && !complete) {
    return { outcome: "unclear", why: "native_movements_unknown" };
  }
  const other = transfers.find(
    ({ recipient, sender }) => recipient === claim.recipient && sender !== recipient,
  );
  return other === undefined
    ? { outcome: "refuted", reason: "recipient_mismatch" }
    : { outcome: "refuted", reason: "wrong_token", sender: other.sender };
};

/**
 * As few transfers as prove the claim, so that others of the same transaction can pay something else: the one of
 * exactly the amount, else the smallest one above it, else the largest together. Undefined: not enough.
 */
const choose = (
  { baseAmount, exact }: Claim,
  free: readonly Transfer[],
  earlier: readonly Transfer[],
): Transfer[] | undefined => {
  const same = free.find(({ value }) => value === baseAmount);
  if (same !== undefined) return [same];
  if (free.length === 0) return undefined;
  if (exact) {
    const all = [...free, ...earlier];
    return sum(all) === baseAmount ? all : undefined;
  }
  const largestFirst = free.toSorted((a, b) => (a.value > b.value ? -1 : 1));
  const enough = largestFirst.findLast(({ value }) => value > baseAmount);
  if (enough !== undefined) return [enough];
  const taken: Transfer[] = [];
  for (const transfer of [...largestFirst, ...earlier]) {
    taken.push(transfer);
    if (sum(taken) >= baseAmount) return taken;
  }
  return undefined;
};

const sum = (transfers: readonly Transfer[]): bigint =>
  transfers.reduce((total, { value }) => total + value, 0n);
