// The facts about one wallet of a tenant in the words of the rules.
import { isId, type TxHash } from "@pay/values";
import { targetName } from "../verification/domain/transaction.ts";
import { type Arrival, type Decision, isFinal } from "./domain/decision.ts";
import type { Order } from "./domain/orders.ts";
import type { Transaction } from "./domain/submissions.ts";
import type {
  StoredSubmission,
  StoredTransaction,
  StoredTransfer,
  StoredWatch,
  WalletFacts,
} from "./storage/facts.ts";

export function toOrder(watch: StoredWatch): Order {
  return {
    paymentId: watch.payment_id,
    amount: watch.base_amount,
    openedAt: watch.opened_at,
    endsAt: watch.ends_at,
    signedBy: watch.signed_by ?? undefined,
    isHeld: watch.is_held,
    closedAt: watch.closed_at ?? undefined,
  };
}

export function toArrival(
  row: StoredTransfer,
  {
    watches,
    payouts,
    names,
  }: {
    watches: ReadonlyMap<string, StoredWatch>;
    payouts: ReadonlyMap<bigint, string>;
    names: WalletFacts["names"];
  },
): Arrival {
  const { id, tx_hash, sender, value, block_number, arrived_at, paid_subject_id, reference } = row;
  const isSettled = (paymentId: string) => watches.get(paymentId)?.is_settled === true;
  const isPayout = payouts.has(id) || (paid_subject_id !== null && !isId("pay", paid_subject_id));
  return {
    id,
    txHash: tx_hash,
    sender,
    value,
    blockNumber: Number(block_number),
    arrivedAt: arrived_at,
    name: reference === null ? undefined : (names.get(reference) ?? { kind: "unknown" }),
    isDeposit: isDeposit(row),
    isAuthorized: row.is_authorized,
    fixed: isPayout
      ? { reason: "payout", candidates: [], unsigned: [] }
      : !row.is_open || isSettled(row.payment_id ?? "")
        ? toDecision(row)
        : undefined,
    grouped: row.rule === "group" && row.candidates?.some(isSettled) ? toDecision(row) : undefined,
  };
}

/** It was sent to the deposit address of a payment of its wallet. */
function isDeposit({ recipient, wallet }: StoredTransfer): boolean {
  return recipient !== wallet;
}

/** As it was stored. */
export function toDecision({
  payment_id,
  rule,
  reason,
  candidates,
}: StoredTransfer): Decision | undefined {
  if (payment_id !== null && rule !== null) {
    return { paymentId: payment_id, rule, ...(candidates !== null && { group: candidates }) };
  }
  if (reason === null) return undefined;
  return { reason, candidates: candidates ?? [], unsigned: [] };
}

export function toWords({ submissions, ownSenders, payoutSenders, sweptSenders }: WalletFacts) {
  const assigned = new Map<TxHash, string[]>();
  const submitted = new Map<TxHash, string[]>();
  for (const { subject_id, tx_hash, is_assigned, base_amount } of submissions) {
    if (base_amount !== null) continue;
    for (const list of is_assigned ? [assigned, submitted] : [submitted]) {
      list.set(tx_hash, [...(list.get(tx_hash) ?? []), subject_id]);
    }
  }
  return {
    assigned,
    submitted,
    ownWallets: ownSenders,
    payoutSources: payoutSenders,
    sweptAddresses: sweptSenders,
  };
}

export function findTransaction(facts: WalletFacts, hash: TxHash): Transaction | undefined {
  const row = facts.transactions.get(hash);
  if (row === undefined) return undefined;
  const proof = findProof(facts, row);
  return {
    state: proof !== undefined ? "proven" : isUnread(facts, row) ? "waiting" : row.state,
    isMined: proof !== undefined || row.block_hash !== null,
    isOpaque: proof === undefined && row.waits_for === "trace",
    isWrongToken: proof?.isWrongToken ?? false,
    replacedBy: row.replaced_by ?? undefined,
  };
}

export function findProof({ wallet }: WalletFacts, { proofs }: StoredTransaction) {
  return proofs[targetName(wallet)];
}

/** It is proven for other wallets, and was not read for this one. */
export function isUnread(facts: WalletFacts, row: StoredTransaction): boolean {
  return row.state === "proven" && findProof(facts, row) === undefined;
}

/** A submitted transaction, or the one that took its place. */
export function findDecisive(
  { transactions }: WalletFacts,
  { tx_hash }: Pick<StoredSubmission, "tx_hash">,
): StoredTransaction | undefined {
  const row = transactions.get(tx_hash);
  return row?.replaced_by ? transactions.get(row.replaced_by) : row;
}

/** For which its transaction is verified: the deposit address, or the wallet itself. */
export function findTarget({ wallet }: WalletFacts, { recipient }: StoredTransfer): string {
  return targetName({ recipient, currency: wallet.currency });
}

/** Where its transaction is verified, that decides: a high value or a trace needs a second provider. */
export function isProven(facts: WalletFacts, row: StoredTransfer): boolean {
  const transaction = facts.transactions.get(row.tx_hash);
  if (transaction === undefined) return isFinal(row);
  return transaction.proofs[findTarget(facts, row)]?.blockHash === row.block_hash;
}
