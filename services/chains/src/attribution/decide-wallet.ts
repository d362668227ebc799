// From the facts about one wallet of a tenant to everything that follows: what each transfer is for, the money of each
// payment, what became of submitted hashes, and which transactions have to be proven. Pure.
import { attribute } from "./domain/attribute.ts";
import { isOnChain } from "./domain/decision.ts";
import { judgePayouts, type OutgoingNews } from "./judge-payouts.ts";
import { planTransfers, type TransferPlan } from "./plan-transfers.ts";
import { toArrival, toOrder, toWords } from "./read-facts.ts";
import { isNewAnswer, type UnscreenedPayer } from "./screening.ts";
import {
  type ChangedMoney,
  type Decisions,
  isChanged,
  isDueAgain,
  type JudgedSubmission,
  settlePayment,
  type Terms,
  type WatchState,
} from "./settle-payment.ts";
import type { StoredTransfer, StoredWatch, WalletFacts } from "./storage/facts.ts";
import type { StoredScreening } from "./storage/screenings.ts";

export interface WalletDecision extends TransferPlan {
  money: ChangedMoney[];
  watches: WatchState[];
  submissions: JudgedSubmission[];
  outgoing: OutgoingNews[];
  toScreen: UnscreenedPayer[];
  /** Answers that this decision has read. */
  toldScreenings: StoredScreening[];
  /** When time alone changes something. */
  nextAt: Date | undefined;
}

export function decideWallet(facts: WalletFacts, terms: Terms): WalletDecision {
  const { transfers, watches } = facts;
  const orphaned = transfers.filter((transfer) => !isOnChain(transfer));
  const alive = transfers.filter(isOnChain);
  const outgoing = judgePayouts(facts, alive, orphaned);
  const payouts = new Map(
    outgoing.pays.map(({ transferId, subjectId }) => [transferId, subjectId]),
  );
  const byId = new Map(watches.map((watch) => [watch.payment_id, watch]));

  const arrivals = alive
    .filter(({ id, decided_at }) => decided_at !== null || terms.decidable.has(id))
    .map((row) => toArrival(row, { watches: byId, payouts, names: facts.names }));
  const decisions = attribute({
    orders: watches.map(toOrder),
    arrivals,
    slackMs: terms.slackMs,
    words: toWords(facts),
  });

  const touched = findTouched({ facts, orphaned, alive, decisions });
  const judged = touched.map((watch) =>
    settlePayment(watch, { facts, terms, alive, arrivals, decisions }),
  );
  const settled = new Set(
    judged.filter(({ state }) => state.isSettled).map(({ state }) => state.watch.payment_id),
  );
  return {
    ...planTransfers(facts, { alive, orphaned, decisions, settled, payouts, terms }),
    money: judged.flatMap(({ money }) => money ?? []),
    watches: judged.flatMap(({ state }) => (isChanged(state) ? state : [])),
    submissions: judged.flatMap(({ hashes }) => hashes),
    outgoing: outgoing.news,
    toScreen: judged.flatMap(({ toScreen }) => toScreen),
    toldScreenings: [...facts.screenings.values()].flat().filter(isNewAnswer),
    nextAt: judged.some(({ state }) => isDueAgain(state))
      ? terms.now
      : earliest(judged.flatMap(({ nextAt }) => nextAt ?? [])),
  };
}

/** Payments that may have other money, hashes or needs than before. */
function findTouched({
  facts: { watches, submissions, screenings },
  orphaned,
  alive,
  decisions,
}: {
  facts: WalletFacts;
  orphaned: readonly StoredTransfer[];
  alive: readonly StoredTransfer[];
  decisions: Decisions;
}): StoredWatch[] {
  const ids = new Set<string>();
  function add(id: string | null | undefined) {
    if (id) ids.add(id);
  }

  for (const row of [...orphaned, ...alive.filter(({ is_open }) => is_open)]) {
    add(row.payment_id);
    for (const id of row.candidates ?? []) add(id);
    const decision = decisions.get(row.id);
    if (decision === undefined) continue;
    if ("paymentId" in decision) add(decision.paymentId);
    else for (const id of decision.candidates) add(id);
  }
  for (const [id, list] of screenings) if (list.some(isNewAnswer)) add(id);
  for (const { subject_id, outcome } of submissions) if (outcome === null) add(subject_id);
  return watches.filter(({ payment_id, is_untraced }) => is_untraced || ids.has(payment_id));
}

function earliest(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.min(...times.map(Number)));
}
