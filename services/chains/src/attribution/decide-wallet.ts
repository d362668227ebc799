// From the facts about one wallet of a tenant to everything that follows: what each transfer is for, the money of each
// payment, what became of submitted hashes, and which transactions have to be proven. Pure.
import { type Amount, isId, sumAmounts, type TxHash, toAmount } from "@pay/values";
import { attribute } from "./domain/attribute.ts";
import {
  type Arrival,
  type Decision,
  isFinal,
  isOnChain,
  type Unmatched,
} from "./domain/decision.ts";
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
import { isDust, type Order } from "./domain/orders.ts";
import { judgeOutgoing } from "./domain/outgoing.ts";
import { judgeHash, type Transaction } from "./domain/submissions.ts";
import type {
  StoredSubmission,
  StoredTransfer,
  StoredWatch,
  WalletFacts,
} from "./storage/facts.ts";
import { toMoney } from "./storage/money.ts";

export interface Attributed {
  transferId: bigint;
  isOpen: boolean;
  decision: Decision | undefined;
  /** It is decided for the first time, or otherwise than before. */
  isNew: boolean;
  /** From now on a person may have to look at it. */
  unmatched: StoredTransfer | undefined;
}

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

/** A verdict about money that goes out, or its end by a reorganisation. */
export interface OutgoingNews extends JudgedSubmission {
  kind: "confirmed" | "rejected" | "unseen";
  txHash: TxHash;
  place: { blockNumber: bigint; blockTime: Date } | undefined;
  received: Amount | undefined;
  sender: StoredTransfer["sender"] | undefined;
}

export interface WalletDecision {
  attributed: Attributed[];
  revoked: bigint[];
  proven: { transferId: bigint; subjectId: string }[];
  money: ChangedMoney[];
  watches: WatchState[];
  submissions: JudgedSubmission[];
  outgoing: OutgoingNews[];
  /** Hashes whose transactions have to be proven. */
  toVerify: TxHash[];
  /** When time alone changes something. */
  nextAt: Date | undefined;
}

/** What is decided for none, or for a payment that was never whole, stays open for so long. */
const OPEN_MS = 48 * 3_600_000;

export interface Terms {
  slackMs: number;
  now: Date;
  /** How long after its end a wallet may sign for a payment. */
  signingMs: number;
  /** New transfers for which payments has told its orders; others wait. */
  decidable: ReadonlySet<bigint>;
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
    .map((row) => toArrival(row, { watch: byId.get(row.payment_id ?? ""), payouts }));
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
    ...writeTransfers(facts, { alive, orphaned, decisions, settled, payouts, terms }),
    money: judged.flatMap(({ money }) => money ?? []),
    watches: judged.flatMap(({ state }) => (isChanged(state) ? state : [])),
    submissions: judged.flatMap(({ hashes }) => hashes),
    outgoing: outgoing.news,
    nextAt: earliest(judged.flatMap(({ nextAt }) => nextAt ?? [])),
  };
}

function toOrder(watch: StoredWatch): Order {
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

function toArrival(
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
function toDecision({
  payment_id,
  rule,
  reason,
  candidates,
}: StoredTransfer): Decision | undefined {
  if (payment_id !== null && rule !== null) return { paymentId: payment_id, rule };
  if (reason === null) return undefined;
  return { reason, candidates: candidates ?? [], unsigned: [] };
}

function toWords({ submissions, ownSenders, payoutSenders }: WalletFacts) {
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

type Decisions = ReadonlyMap<bigint, Decision>;

/** Payments that may have other money, hashes or needs than before. */
function findTouched({
  facts: { watches, submissions },
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
  for (const { subject_id, outcome } of submissions) if (outcome === null) add(subject_id);
  return watches.filter(({ payment_id }) => ids.has(payment_id));
}

interface Place {
  facts: WalletFacts;
  terms: Terms;
  alive: readonly StoredTransfer[];
  arrivals: readonly Arrival[];
  decisions: Decisions;
}

function settlePayment(watch: StoredWatch, { facts, terms, alive, arrivals, decisions }: Place) {
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
        isProven: isProven(facts, row),
        isOfGroup: decision.rule === "group",
      },
    ];
  });
  const claimable = arrivals.flatMap((arrival): Claimable[] => {
    const decision = decisions.get(arrival.id);
    const isAsked =
      decision !== undefined && "reason" in decision && decision.unsigned.includes(paymentId);
    return isAsked ? [arrival] : [];
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
    claimable: claimable.map(({ txHash, sender, value, arrivedAt }) => ({
      txHash,
      sender,
      value,
      arrivedAt,
    })),
    hashes: hashes.map(({ judged }) => judged),
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

function isChanged({ watch, paidBlock, hasParts, isSettled }: WatchState): boolean {
  return (
    (watch.paid_block ?? undefined) !== paidBlock ||
    watch.has_parts !== hasParts ||
    watch.is_settled !== isSettled
  );
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

function findTransaction({ transactions }: WalletFacts, hash: TxHash): Transaction | undefined {
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
function isProven({ transactions }: WalletFacts, row: StoredTransfer): boolean {
  const transaction = transactions.get(row.tx_hash);
  if (transaction === undefined) return isFinal(row);
  return transaction.state === "proven" && transaction.block_hash === row.block_hash;
}

interface Written {
  alive: readonly StoredTransfer[];
  orphaned: readonly StoredTransfer[];
  decisions: Decisions;
  settled: ReadonlySet<string>;
  payouts: ReadonlyMap<bigint, string>;
  terms: Terms;
}

function writeTransfers(
  facts: WalletFacts,
  { alive, orphaned, decisions, settled, payouts, terms }: Written,
): Pick<WalletDecision, "attributed" | "revoked" | "proven" | "toVerify"> {
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
  const proven: WalletDecision["proven"] = [...payouts].map(([transferId, subjectId]) => ({
    transferId,
    subjectId,
  }));
  const toVerify = new Set<TxHash>();
  const amounts = new Map(facts.watches.map((watch) => [watch.payment_id, watch.base_amount]));
  const wholeByDust = findWholeByDust(alive, decisions, amounts);
  for (const row of alive) {
    const decision = decisions.get(row.id);
    if (decision === undefined) continue;
    const paymentId = "paymentId" in decision ? decision.paymentId : undefined;
    const amount = amounts.get(paymentId ?? "");
    const isOpen =
      paymentId === undefined
        ? terms.now.getTime() - row.arrived_at.getTime() < OPEN_MS
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
      (!isDust(amount, row.value) || wholeByDust.has(paymentId));
    if (matters && !isProven(facts, row)) toVerify.add(row.tx_hash);
  }
  return { attributed, revoked, proven, toVerify: [...toVerify] };
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

const SILENT: ReadonlySet<Unmatched> = new Set(["dust", "own_wallet", "payout"]);

function needsPerson(decision: Decision): boolean {
  return "reason" in decision && !SILENT.has(decision.reason);
}

function wasUnmatched({ reason }: StoredTransfer): boolean {
  return reason !== null && !SILENT.has(reason);
}

function withoutAsking(decision: Decision): Decision {
  return "reason" in decision ? { ...decision, unsigned: [] } : decision;
}

function judgePayouts(
  facts: WalletFacts,
  alive: readonly StoredTransfer[],
  orphaned: readonly StoredTransfer[],
): { news: OutgoingNews[]; pays: { transferId: bigint; subjectId: string }[] } {
  const news: OutgoingNews[] = [];
  const pays = new Map<bigint, string>();
  const { submissions, transactions } = facts;
  for (const submission of submissions) {
    const { sources, base_amount: amount, subject_id: subjectId } = submission;
    if (sources === null || amount === null) continue;
    const gone = orphaned.filter((row) => row.paid_subject_id === subjectId);
    const [lost] = gone;
    if (submission.outcome === "counted" && lost !== undefined) {
      news.push({
        submission,
        kind: "unseen",
        outcome: undefined,
        epoch: submission.epoch + 1,
        txHash: lost.tx_hash,
        place: undefined,
        received: sumAmounts(gone.map(({ value }) => value)),
        sender: lost.sender,
      });
      continue;
    }
    if (submission.outcome !== null) continue;
    const transaction = transactions.get(submission.tx_hash);
    const { replaced_by: replacedBy } = transaction ?? {};
    const decisive = replacedBy ? transactions.get(replacedBy) : transaction;
    if (decisive === undefined || decisive.state === "waiting") continue;
    const isTaken = (row: StoredTransfer) =>
      pays.has(row.id) || (row.paid_subject_id !== null && row.paid_subject_id !== subjectId);
    const toOutgoing = (row: StoredTransfer) => ({
      ...row,
      blockTime: row.block_time,
      isTaken: isTaken(row),
    });
    const earlierHashes = new Set(
      submissions
        .filter((one) => one.subject_id === subjectId && one.outcome === "underpaid")
        .map(({ tx_hash }) => tx_hash),
    );
    const verdict =
      decisive.state === "proven"
        ? judgeOutgoing(
            { subjectId, sources, amount, notBefore: submission.not_before },
            {
              arrived: alive.filter((row) => row.tx_hash === decisive.tx_hash).map(toOutgoing),
              earlier: alive
                .filter((row) => earlierHashes.has(row.tx_hash) && !isTaken(row))
                .map(toOutgoing),
              isWrongToken: decisive.is_wrong_token,
            },
          )
        : {
            outcome: rejectUnproven(
              decisive.state,
              replacedBy !== null && replacedBy !== undefined,
            ),
            received: undefined,
            sender: undefined,
          };
    const place =
      decisive.block_number === null || decisive.block_time === null
        ? undefined
        : { blockNumber: decisive.block_number, blockTime: decisive.block_time };
    const isCounted = verdict.outcome === "counted";
    if ("pays" in verdict) for (const { id } of verdict.pays) pays.set(id, subjectId);
    news.push({
      submission,
      kind: isCounted ? "confirmed" : "rejected",
      outcome: isReplacedInVain(verdict.outcome, replacedBy) ? "replaced" : verdict.outcome,
      epoch: submission.epoch,
      txHash: isCounted ? decisive.tx_hash : submission.tx_hash,
      place,
      received: verdict.received,
      sender: "pays" in verdict ? verdict.pays[0]?.sender : verdict.sender,
    });
  }
  return {
    news,
    pays: [...pays].map(([transferId, subjectId]) => ({ transferId, subjectId })),
  };
}

function isReplacedInVain(outcome: Outcome, replacedBy: TxHash | null | undefined): boolean {
  return Boolean(replacedBy) && outcome !== "counted";
}

function rejectUnproven(state: "failed" | "missing", isReplaced: boolean): Outcome & string {
  if (isReplaced) return "replaced";
  return state === "failed" ? "reverted" : "not_found";
}

function earliest(times: readonly Date[]): Date | undefined {
  return times.length === 0 ? undefined : new Date(Math.min(...times.map(Number)));
}
