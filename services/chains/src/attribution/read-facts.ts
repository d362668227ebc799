// The facts about one wallet of a tenant in the words of the rules.
import { isId, type TxHash } from "@pay/values";
import { type Arrival, type Decision, isFinal } from "./domain/decision.ts";
import type { Order } from "./domain/orders.ts";
import type { Transaction } from "./domain/submissions.ts";
import type { StoredTransfer, StoredWatch, WalletFacts } from "./storage/facts.ts";

export function toOrder(watch: StoredWatch): Order {
  return {
    paymentId: watch.payment_id,
    amount: watch.base_amount,
    openedAt: watch.opened_at,
    endsAt: watch.ends_at,
    signedBy: watch.signed_by ?? undefined,
    isHeld: watch.is_held,
    isClosed: watch.is_closed,
  };
}

export function toArrival(
  row: StoredTransfer,
  { watch, payouts }: { watch: StoredWatch | undefined; payouts: ReadonlyMap<bigint, string> },
): Arrival {
  const { id, tx_hash, sender, value, block_number, arrived_at, paid_subject_id } = row;
  const isPayout = payouts.has(id) || (paid_subject_id !== null && !isId("pay", paid_subject_id));
  return {
    id,
    txHash: tx_hash,
    sender,
    value,
    blockNumber: Number(block_number),
    arrivedAt: arrived_at,
    fixed: isPayout
      ? { reason: "payout", candidates: [], unsigned: [] }
      : !row.is_open || watch?.is_settled || watch?.is_closed
        ? toDecision(row)
        : undefined,
  };
}

/** As it was stored. */
export function toDecision({
  payment_id,
  rule,
  reason,
  candidates,
}: StoredTransfer): Decision | undefined {
  if (payment_id !== null && rule !== null) return { paymentId: payment_id, rule };
  if (reason === null) return undefined;
  return { reason, candidates: candidates ?? [], unsigned: [] };
}

export function toWords({ submissions, ownSenders, payoutSenders }: WalletFacts) {
  const assigned = new Map<TxHash, string[]>();
  const submitted = new Map<TxHash, string[]>();
  for (const { subject_id, tx_hash, is_assigned, base_amount } of submissions) {
    if (base_amount !== null) continue;
    for (const list of is_assigned ? [assigned, submitted] : [submitted]) {
      list.set(tx_hash, [...(list.get(tx_hash) ?? []), subject_id]);
    }
  }
  return { assigned, submitted, ownWallets: ownSenders, payoutSources: payoutSenders };
}

export function findTransaction(
  { transactions }: WalletFacts,
  hash: TxHash,
): Transaction | undefined {
  const row = transactions.get(hash);
  if (row === undefined) return undefined;
  return {
    state: row.state,
    isMined: row.block_hash !== null,
    isOpaque: row.waits_for === "trace",
    isWrongToken: row.is_wrong_token,
    replacedBy: row.replaced_by ?? undefined,
  };
}

/** Where its transaction is verified, that decides: a high value or a trace needs a second provider. */
export function isProven({ transactions }: WalletFacts, row: StoredTransfer): boolean {
  const transaction = transactions.get(row.tx_hash);
  if (transaction === undefined) return isFinal(row);
  return transaction.state === "proven" && transaction.block_hash === row.block_hash;
}
