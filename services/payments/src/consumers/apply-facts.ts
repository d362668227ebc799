// Applies what chains and refunds publish: the money of payments and the sums of their refunds. They are applied in
// rounds, one for each payment, because a move is decided on the payment that the previous one has left.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { firstPerKey } from "@pay/batching";
import { type EventType, observationsRefused } from "@pay/events";
import type { Event, PaymentMoney, RefundSnapshot } from "@pay/proto";
import {
  isId,
  needsIn,
  SCREENING_CAUSES,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import type { PoolClient } from "pg";
import { Counter } from "prom-client";
import type { Deps } from "../deps.ts";
import { applyMoney, type Outcome, type ReportedMoney } from "../domain/apply-money.ts";
import {
  applyRefund,
  isRefundType,
  REFUND_TYPES,
  type RefundChange,
  type RefundType,
} from "../domain/apply-refund.ts";
import type { Payment } from "../domain/payment.ts";
import { recordMove } from "../messages.ts";
import { findByNames, type PaymentName } from "../storage/cross-tenant.ts";
import { movePayments } from "../storage/payments.ts";

/** Money that a merchant does not see: it must stay 0. */
const proofsUnapplied = new Counter({
  name: "payment_proofs_unapplied_total",
  help: "Events about money and refunds for which the table of moves has no place",
  labelNames: ["type", "status"],
});

export const FACT_TYPES: readonly EventType[] = ["money.changed", ...REFUND_TYPES];

interface Fact extends PaymentName {
  event: Event;
  apply(payment: Payment, now: Date): Outcome;
}

const ROUNDS_MAX = 50;

export async function applyFacts(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  let open = events.flatMap((event) => toFact(event) ?? []);
  for (let round = 0; open.length > 0; round++) {
    if (round === ROUNDS_MAX) throw new Error("payments kept changing while facts were applied");
    const first = firstPerKey(open, ({ paymentId }) => paymentId);
    const again = await applyOnce(deps, first, tx);
    open = open.filter((fact) => !first.includes(fact) || again.has(fact));
  }
}

function toFact(event: Event): Fact | undefined {
  const { type, resource, projectId } = event;
  if (resource.case === "money") {
    const { paymentId } = resource.value;
    const money = readMoney(event, resource.value);
    return {
      event,
      projectId,
      paymentId,
      apply: (payment, now) => applyMoney(payment, money, now),
    };
  }
  if (resource.case === "refund" && isRefundType(type)) {
    const { paymentId } = resource.value;
    const refund = readRefund(event, type, resource.value);
    return {
      event,
      projectId,
      paymentId,
      apply: (payment, now) => applyRefund(payment, refund, now),
    };
  }
  return undefined;
}

function readMoney({ projectId, mode }: Event, money: PaymentMoney): ReportedMoney {
  return {
    projectId,
    mode,
    chainId: toChainId(money.chainId),
    recipient: toAddress(money.recipientAddress),
    currency: toCurrency(money.currency),
    turn: money.turn,
    seen: toAmount(money.seenBaseAmount),
    final: toAmount(money.finalBaseAmount),
    late: toAmount(money.lateBaseAmount),
    lateFinal: toAmount(money.lateFinalBaseAmount),
    txHash: money.txHash === undefined ? undefined : toTxHash(money.txHash),
    blockNumber: money.blockNumber,
    senders: money.senders.map(({ address, baseAmount }) => ({
      address: toAddress(address),
      base_amount: baseAmount,
    })),
    hashes: money.hashes.map(({ txHash, outcome, isMined }) => ({
      hash: toTxHash(txHash),
      outcome: outcome || undefined,
      isMined,
    })),
    needs: needsIn(money.needs) ?? null,
    arrived: money.arrived.map(({ at, ...arrived }) => ({
      base_amount: arrived.baseAmount,
      at: at === undefined ? 0 : timestampDate(at).getTime(),
      tx_hash: toTxHash(arrived.txHash),
      sender_address: toAddress(arrived.senderAddress),
    })),
    screened: money.screened.map(({ address, cause }) => ({
      address: toAddress(address),
      cause: SCREENING_CAUSES.find((one) => one === cause) ?? "unanswered",
    })),
    screenedFinal: toAmount(money.screenedBaseAmount ?? "0"),
  };
}

function readRefund(
  { projectId, mode }: Event,
  type: RefundType,
  refund: RefundSnapshot,
): RefundChange {
  return {
    type,
    projectId,
    mode,
    refunded: toAmount(refund.refundedBaseAmount),
    surplusRefunded: toAmount(refund.surplusRefundedBaseAmount),
    reserved: toAmount(refund.reservedBaseAmount),
    isDeclarationVoid:
      type === "refund.failed" && refund.declared && refund.failureReason === "cancelled",
  };
}

interface Applied {
  fact: Fact;
  payment: Payment;
  outcome: Outcome;
}

/** Returns the facts whose payment was moved by another writer, or that have another move to make. */
async function applyOnce(deps: Deps, facts: Fact[], tx: PoolClient): Promise<Set<Fact>> {
  const now = deps.clock.now();
  const found = await findByNames(tx, facts);
  const payments = new Map(found.map((payment) => [payment.id, payment]));
  const applied = facts.flatMap((fact): Applied[] => {
    const payment = payments.get(fact.paymentId);
    if (payment !== undefined) return [{ fact, payment, outcome: fact.apply(payment, now) }];
    reportUnknown(deps, fact);
    return [];
  });
  for (const one of applied) report(deps, one);

  const moves = applied.flatMap(({ fact, outcome }) => {
    if (outcome.kind !== "moved") return [];
    return [{ fact, ...recordMove(outcome, now, { requestId: fact.event.requestId }) }];
  });
  const done = await movePayments(tx, moves);
  const unfinished = applied.flatMap(({ fact, outcome }) =>
    outcome.kind === "moved" && outcome.hasMore ? [fact] : [],
  );
  return new Set([
    ...moves.flatMap(({ fact, payment }) => (done.has(payment.id) ? [] : [fact])),
    ...unfinished,
  ]);
}

/** The topic also has events about records of other services. */
function reportUnknown({ log }: Deps, { event: { id: eventId, type }, paymentId }: Fact): void {
  if (!isId("pay", paymentId)) return;
  observationsRefused.inc({ consumer: "payments", field: "project" });
  log.error({ paymentId, eventId, type }, "an event names no payment of its project");
}

function report({ log }: Deps, { fact: { event }, payment, outcome }: Applied): void {
  const { id: eventId, type } = event;
  const { id: paymentId, status } = payment;
  if (outcome.kind === "unapplied") {
    proofsUnapplied.inc({ type, status });
    log.error({ paymentId, eventId, type, status }, "an event about money changes nothing");
  }
  if (outcome.kind === "mismatch") {
    const { field } = outcome;
    observationsRefused.inc({ consumer: "payments", field });
    log.error({ paymentId, eventId, type, field }, "an event does not fit its payment");
  }
}
