// What is written about the transfers of a wallet: their decisions, what they pay, and what has to be proven.
import { type Amount, isId, type TxHash } from "@pay/values";
import { targetName } from "../verification/domain/transaction.ts";
import type { Decision, Unmatched } from "./domain/decision.ts";
import { isEqual } from "./domain/money.ts";
import { isDust } from "./domain/orders.ts";
import { findDecisive, findTarget, isProven, isUnread, toDecision } from "./read-facts.ts";
import type { Decisions, Terms } from "./settle-payment.ts";
import type { StoredTransfer, WalletFacts } from "./storage/facts.ts";

export interface Attributed {
  transferId: bigint;
  isOpen: boolean;
  decision: Decision | undefined;
  /** It is decided for the first time, or otherwise than before. */
  isNew: boolean;
  /** From now on a person may have to look at it. */
  unmatched: StoredTransfer | undefined;
}

export interface TransferPlan {
  attributed: Attributed[];
  revoked: bigint[];
  proven: { transferId: bigint; subjectId: string }[];
  /** Hashes whose transactions have to be proven, each for a target. */
  toVerify: { txHash: TxHash; target: string }[];
}

/** What is decided for none, or for a payment that was never whole, stays open for so long. */
const OPEN_MS = 48 * 3_600_000;

interface Judged {
  alive: readonly StoredTransfer[];
  orphaned: readonly StoredTransfer[];
  decisions: Decisions;
  settled: ReadonlySet<string>;
  payouts: ReadonlyMap<bigint, string>;
  terms: Terms;
}

export function planTransfers(
  facts: WalletFacts,
  { alive, orphaned, decisions, settled, payouts, terms }: Judged,
): TransferPlan {
  const attributed: Attributed[] = orphaned.map(({ id }) => ({
    transferId: id,
    isOpen: false,
    decision: undefined,
    isNew: false,
    unmatched: undefined,
  }));
  const revoked = orphaned.flatMap(({ id, paid_subject_id }) =>
    paid_subject_id === null ? [] : [id],
  );
  const proven: TransferPlan["proven"] = [...payouts].map(([transferId, subjectId]) => ({
    transferId,
    subjectId,
  }));
  const toVerify = findUnread(facts);
  const amounts = new Map(facts.watches.map((watch) => [watch.payment_id, watch.base_amount]));
  const wholeByDust = findWholeByDust(alive, decisions, amounts);
  for (const row of alive) {
    const decision = decisions.get(row.id);
    if (decision === undefined) continue;
    const paymentId = "paymentId" in decision ? decision.paymentId : undefined;
    const amount = amounts.get(paymentId ?? "");
    const isOpen =
      paymentId === undefined
        ? !isFinished(decision) && terms.now.getTime() - row.arrived_at.getTime() < OPEN_MS
        : amount !== undefined && !(settled.has(paymentId) && isProven(facts, row));
    const isNew = !isEqual(toDecision(row), withoutAsking(decision));
    if (row.is_open !== isOpen || isNew) {
      const unmatched = isNew && needsPerson(decision) && !wasUnmatched(row) ? row : undefined;
      attributed.push({ transferId: row.id, isOpen, decision, isNew, unmatched });
    }
    if (payouts.has(row.id) || (row.paid_subject_id !== null && !isId("pay", row.paid_subject_id)))
      continue;
    const isPaying = paymentId !== undefined && isProven(facts, row);
    if (isPaying && row.paid_subject_id !== paymentId) {
      proven.push({ transferId: row.id, subjectId: paymentId });
    }
    if (row.paid_subject_id !== null && !isPaying) revoked.push(row.id);
    const matters =
      paymentId !== undefined &&
      amount !== undefined &&
      (facts.transactions.has(row.tx_hash) ||
        !isDust(amount, row.value) ||
        wholeByDust.has(paymentId));
    if (matters && !isProven(facts, row)) {
      toVerify.push({ txHash: row.tx_hash, target: findTarget(facts, row) });
    }
  }
  return { attributed, revoked, proven, toVerify };
}

/** Submitted transactions that have to be read for this wallet too. */
function findUnread(facts: WalletFacts): TransferPlan["toVerify"] {
  const target = targetName(facts.wallet);
  return facts.submissions.flatMap((submission) => {
    const decisive = findDecisive(facts, submission);
    if (submission.outcome !== null || decisive === undefined) return [];
    return isUnread(facts, decisive) ? [{ txHash: decisive.tx_hash, target }] : [];
  });
}

/** Payments that only dust makes whole: it has to be proven like everything else. */
function findWholeByDust(
  alive: readonly StoredTransfer[],
  decisions: Decisions,
  amounts: ReadonlyMap<string, Amount>,
): Set<string> {
  const sums = new Map<string, { all: bigint; withoutDust: bigint }>();
  for (const { id, value } of alive) {
    const decision = decisions.get(id);
    if (decision === undefined || !("paymentId" in decision)) continue;
    const { paymentId } = decision;
    const { all, withoutDust } = sums.get(paymentId) ?? { all: 0n, withoutDust: 0n };
    const isNoise = isDust(amounts.get(paymentId) ?? value, value);
    sums.set(paymentId, {
      all: all + value,
      withoutDust: isNoise ? withoutDust : withoutDust + value,
    });
  }
  const whole = [...sums].filter(([paymentId, { all, withoutDust }]) => {
    const amount = amounts.get(paymentId);
    return amount !== undefined && all >= amount && withoutDust < amount;
  });
  return new Set(whole.map(([paymentId]) => paymentId));
}

const SILENT: ReadonlySet<Unmatched> = new Set(["dust", "own_wallet", "payout", "sweep"]);

/** Only its own hash, its sender's signature or a reorganisation could change it, and each opens it again. */
function isFinished(decision: Decision): boolean {
  return "reason" in decision && decision.reason === "dust";
}

function needsPerson(decision: Decision): boolean {
  return "reason" in decision && !SILENT.has(decision.reason);
}

function wasUnmatched({ reason }: StoredTransfer): boolean {
  return reason !== null && !SILENT.has(reason);
}

function withoutAsking(decision: Decision): Decision {
  return "reason" in decision ? { ...decision, unsigned: [] } : decision;
}
