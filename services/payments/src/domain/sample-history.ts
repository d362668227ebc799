// A payment of 10 that lives through facts written as text, for tests: `submit a; money seen=4 a=counted; pass 31m`.
import { Failure } from "@pay/failures";
import { toAddress, toAmount, toChainId, toCurrency, toTxHash } from "@pay/values";
import { applyMoney, type Outcome, type ReportedMoney } from "./apply-money.ts";
import { applyRefund, type RefundChange, type RefundType } from "./apply-refund.ts";
import { applySubmission } from "./apply-submission.ts";
import {
  type ChangeResult,
  cancel,
  declare,
  declareRefund,
  extend,
  passTime,
  resolve,
} from "./change.ts";
import { type Move, type Payment, TRANSITIONS } from "./payment.ts";
import { samplePayment } from "./sample-payment.ts";
import { isScreened } from "./state.ts";
import { getSteps } from "./timeline.ts";

const START = new Date("2026-01-01T00:00:00Z");
const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const WALLET = toAddress(`0x${"1".repeat(40)}`);

export function toSampleHash(name: string) {
  return toTxHash(`0x${Buffer.from(name).toString("hex").padStart(64, "0")}`);
}

/** A report of chains that fits the payment. */
export function sampleMoney(payment: Payment, change: Partial<ReportedMoney> = {}): ReportedMoney {
  const none = toAmount(0n);
  const money = { seen: none, final: none, late: none, lateFinal: none, ...change };
  const proven = money.final + money.lateFinal;
  const isThere = money.seen + money.late > 0n;
  return {
    projectId: payment.project_id,
    mode: payment.mode,
    chainId: toChainId(payment.chain_id),
    recipient: toAddress(payment.recipient_address),
    currency: toCurrency(payment.currency),
    turn: (payment.money_turn ?? 0) + 1,
    txHash: isThere ? toSampleHash("found") : undefined,
    blockNumber: isThere ? 7n : undefined,
    senders: proven > 0n ? [{ address: WALLET, base_amount: `${proven}` }] : [],
    hashes: [],
    needs: null,
    arrived: [],
    screened: [],
    screenedFinal: none,
    ...money,
  };
}

export interface History {
  payment: Payment;
  now: Date;
  /** Types of the events, in their order. */
  events: string[];
  steps: string[];
  /** Rejected moves, and facts that changed nothing. */
  refused: string[];
}

/** The facts in their order; each outcome is taken as the service takes it. */
export function liveThrough(facts: string, from: History = beginHistory()): History {
  const history = {
    ...from,
    events: [...from.events],
    steps: [...from.steps],
    refused: [...from.refused],
  };
  for (const fact of facts
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "")) {
    const [verb = "", ...words] = fact.split(" ");
    if (verb === "pass") pass(history, words[0] ?? "");
    else {
      const done = act(history, verb, words);
      take(history, done, fact);
      const hasMore = "hasMore" in done && done.hasMore;
      if (hasMore) take(history, act(history, verb, words), fact);
    }
  }
  return history;
}

export function beginHistory(): History {
  const payment = samplePayment(START, { amount: "10" }, 0);
  return { payment, now: START, events: [], steps: [], refused: [] };
}

/** The job looks each time. */
function pass(history: History, length: string): void {
  history.now = new Date(
    history.now.getTime() + Number(length.slice(0, -1)) * (UNITS_MS[length.slice(-1)] ?? 0),
  );
  const { payment, now } = history;
  const dueAt = payment.status === "processing" ? payment.due_at : payment.expires_at;
  const isWaiting = ["created", "pending", "processing"].includes(payment.status);
  if (!isWaiting || dueAt === null || dueAt >= now) return;
  const moved = passTime(payment, now);
  const isWaitingOn = moved !== undefined && moved.payment.status === payment.status;
  // Only a review after screening waits without an end.
  if (moved === undefined || (isWaitingOn && !isScreened(payment)))
    throw new Error(`nothing ends a payment that is ${payment.status}`);
  move(history, moved);
}

function act({ payment, now }: History, verb: string, words: string[]): Outcome | ChangeResult {
  const [word = ""] = words;
  const submission = {
    txHash: toSampleHash(word),
    payer: undefined,
    byMerchant: false,
    assign: false,
  };
  switch (verb) {
    case "submit":
      return applySubmission(payment, submission, now);
    case "merchant":
      return applySubmission(payment, { ...submission, byMerchant: true }, now);
    case "assign":
      return applySubmission(payment, { ...submission, byMerchant: true, assign: true }, now);
    case "money":
      return applyMoney(payment, readReport(payment, words), now);
    case "cancel":
      return cancel(payment, now);
    case "extend":
      return extend(payment, now);
    case "accept":
      return resolve(payment, true, now);
    case "reject":
      return resolve(payment, false, now);
    case "sign":
      return declare(payment, { payer: WALLET, isSigned: true }, now);
    case "declare":
      return declareRefund(payment, now);
    default:
      return applyRefund(payment, readRefund(payment, verb, words), now);
  }
}

function readPairs(words: readonly string[]): Map<string, string> {
  return new Map(words.map((word) => word.split("=") as [string, string]));
}

const NOT_HASHES = ["seen", "final", "late", "lateFinal", "needs", "arrived", "turn", "screened"];

/** Amounts are absolute; a hash is `a=counted`, `a=mined` or `a=` for one without an outcome. */
function readReport(payment: Payment, words: readonly string[]): ReportedMoney {
  const pairs = readPairs(words);
  function amount(name: string) {
    return toAmount(pairs.get(name) ?? "0");
  }

  const final = amount("final");
  const lateFinal = amount("lateFinal");
  const turn = pairs.get("turn");
  return sampleMoney(payment, {
    seen: toAmount(pairs.get("seen") ?? final),
    final,
    late: toAmount(pairs.get("late") ?? lateFinal),
    lateFinal,
    ...(turn !== undefined && { turn: Number(turn) }),
    hashes: [...pairs].flatMap(([name, outcome]) =>
      NOT_HASHES.includes(name)
        ? []
        : [
            {
              hash: toSampleHash(name),
              outcome: outcome === "" || outcome === "mined" ? undefined : outcome,
              isMined: outcome !== "" && outcome !== "not_found",
            },
          ],
    ),
    needs:
      pairs.get("needs") === "review" ? "review" : pairs.has("needs") ? "payer_signature" : null,
    arrived: pairs.has("arrived")
      ? [{ base_amount: "10", at: 0, tx_hash: toSampleHash("x"), sender_address: WALLET }]
      : [],
    screenedFinal: amount("screened"),
    screened: pairs.has("screened") ? [{ address: WALLET, cause: "list" }] : [],
  });
}

/** `completed done=4 held=4 surplus=0`: the sums after the change. */
function readRefund(payment: Payment, verb: string, words: readonly string[]): RefundChange {
  const pairs = readPairs(words);
  const refunded = toAmount(pairs.get("done") ?? payment.refunded_base_amount ?? 0n);
  return {
    type: `refund.${verb}` as RefundType,
    projectId: payment.project_id,
    mode: payment.mode,
    refunded,
    surplusRefunded: toAmount(pairs.get("surplus") ?? payment.surplus_refunded_base_amount ?? 0n),
    reserved: toAmount(pairs.get("held") ?? refunded),
    isDeclarationVoid: pairs.has("void"),
  };
}

function take(history: History, done: Outcome | ChangeResult, fact: string): void {
  if (done instanceof Failure) history.refused.push(`${fact}: ${done.errorCode}`);
  else if (done.kind === "moved") move(history, done);
  else if (done.kind !== "unchanged") history.refused.push(`${fact}: ${done.kind}`);
}

function move(history: History, moved: Move): void {
  history.payment = moved.payment;
  history.events.push(TRANSITIONS[moved.trigger].event);
  history.steps.push(...getSteps(moved, history.now, null).map(({ event }) => event));
}
