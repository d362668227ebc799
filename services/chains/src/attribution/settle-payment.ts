// The money of one payment of a wallet: its sums, what became of its hashes, and when time alone changes something.
import { type Amount, sumAmounts, toAmount } from "@pay/values";
import type { Arrival, Decision } from "./domain/decision.ts";
import {
  type Claimable,
  type Contribution,
  isEqual,
  isNothing,
  isSilent,
  type JudgedHash,
  type Money,
  type Outcome,
  sumMoney,
} from "./domain/money.ts";
import type { Order } from "./domain/orders.ts";
import { judgeHash } from "./domain/submissions.ts";
import { findTransaction, isProven, toOrder } from "./read-facts.ts";
import { findBlocked, findUnscreened, isAwaited } from "./screening.ts";
import type {
  StoredSubmission,
  StoredTransfer,
  StoredWatch,
  WalletFacts,
} from "./storage/facts.ts";
import { toMoney } from "./storage/money.ts";

export interface ChangedMoney {
  watch: StoredWatch;
  turn: number;
  money: Money;
}

export interface WatchState {
  watch: StoredWatch;
  paidBlock: bigint | undefined;
  hasParts: boolean;
  isSettled: boolean;
}

export interface JudgedSubmission {
  submission: StoredSubmission;
  outcome: Outcome | undefined;
  epoch: number;
}

export type Decisions = ReadonlyMap<bigint, Decision>;

export interface Terms {
  slackMs: number;
  now: Date;
  /** How long after its end a wallet may sign for a payment. */
  signingMs: number;
  /** New transfers for which payments has told its orders; others wait. */
  decidable: ReadonlySet<bigint>;
}

interface Place {
  facts: WalletFacts;
  terms: Terms;
  alive: readonly StoredTransfer[];
  arrivals: readonly Arrival[];
  decisions: Decisions;
}

export function settlePayment(
  watch: StoredWatch,
  { facts, terms, alive, arrivals, decisions }: Place,
) {
  const { payment_id: paymentId, base_amount: amount } = watch;
  const { now, slackMs, signingMs } = terms;
  const contributions = alive.flatMap((row): Contribution[] => {
    const decision = decisions.get(row.id);
    if (decision === undefined || !("paymentId" in decision)) return [];
    if (decision.paymentId !== paymentId) return [];
    return [
      {
        txHash: row.tx_hash,
        sender: row.sender,
        value: row.value,
        arrivedAt: row.arrived_at,
        blockNumber: Number(row.block_number),
        blockTime: row.block_time,
        isProven: isProven(facts, row) && !isAwaited(row.sender, watch, facts),
        isOfGroup: decision.rule === "group",
      },
    ];
  });
  const claimable = arrivals.flatMap((arrival): Claimable[] => {
    const decision = decisions.get(arrival.id);
    const isAsked =
      decision !== undefined && "reason" in decision && decision.unsigned.includes(paymentId);
    const { txHash, sender, value, arrivedAt } = arrival;
    return isAsked ? [{ txHash, sender, value, arrivedAt }] : [];
  });
  const own = facts.submissions.filter(({ subject_id }) => subject_id === paymentId);
  const order = toOrder(watch);
  const hashes = own.map((submission) => ({
    submission,
    judged: judgeHash(submission.tx_hash, {
      order,
      slackMs,
      signingMs,
      now,
      find: (hash) => findTransaction(facts, hash),
      list: (hash) =>
        alive
          .filter(({ tx_hash }) => tx_hash === hash)
          .map(({ id, arrived_at }) => ({ arrivedAt: arrived_at, decision: decisions.get(id) })),
    }),
  }));
  const money = sumMoney(order, {
    contributions,
    claimable,
    hashes: hashes.map(({ judged }) => judged),
    isUntraced: watch.is_untraced && sumAmounts(contributions.map(({ value }) => value)) < amount,
    screened: findBlocked(watch, facts),
  });
  return {
    state: toState(watch, { money, contributions, amount }),
    money: toChangedMoney(watch, money, facts),
    hashes: hashes.flatMap(({ submission, judged: { outcome } }) =>
      (submission.outcome ?? undefined) === outcome
        ? []
        : { submission, outcome, epoch: submission.epoch },
    ),
    nextAt: findSigningEnd(order, hashes, terms),
    toScreen: findUnscreened(watch, contributions, facts),
  };
}

function toState(
  watch: StoredWatch,
  {
    money: { final, lateFinal },
    contributions,
    amount,
  }: { money: Money; contributions: readonly Contribution[]; amount: Amount },
): WatchState {
  let received = toAmount(0n);
  let paidBlock: bigint | undefined;
  for (const { value, blockNumber } of contributions) {
    received = toAmount(received + value);
    if (received >= amount) paidBlock ??= BigInt(blockNumber);
  }
  return {
    watch,
    paidBlock,
    hasParts: received > 0n && received < amount,
    isSettled: final >= amount || (watch.is_accepted && final + lateFinal > 0n),
  };
}

export function isChanged({ watch, paidBlock, hasParts, isSettled }: WatchState): boolean {
  return (
    (watch.paid_block ?? undefined) !== paidBlock ||
    watch.has_parts !== hasParts ||
    watch.is_settled !== isSettled
  );
}

/** It is due more than was thought, so it may be a candidate of transfers for which it was not looked up. */
export function isDueAgain({ watch, paidBlock }: WatchState): boolean {
  const { paid_block: before } = watch;
  return before !== null && (paidBlock === undefined || paidBlock > before);
}

function toChangedMoney(
  watch: StoredWatch,
  money: Money,
  { sums }: WalletFacts,
): ChangedMoney | undefined {
  const stored = sums.get(watch.payment_id);
  const before = stored && toMoney(stored.money);
  if (before === undefined ? isNothing(money) : isEqual(before, money)) return undefined;
  if (isSilent(watch.base_amount, before, money)) return undefined;
  return { watch, money, turn: (stored?.turn ?? 0) + 1 };
}

/** A hash that waits for a signature is ambiguous after some time. */
function findSigningEnd(
  { endsAt }: Order,
  hashes: readonly { judged: JudgedHash }[],
  { now, signingMs }: Terms,
): Date | undefined {
  const end = new Date(endsAt.getTime() + signingMs + 1);
  const waits = hashes.some(({ judged }) => judged.outcome === undefined && judged.isMined);
  return waits && end > now ? end : undefined;
}
