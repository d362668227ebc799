// Applies events of chains and refunds: verdicts on hashes and completed refunds. They are applied in rounds, one for
// each payment, because a move is decided on the payment that the previous one has left.
import { firstPerKey } from "@pay/batching";
import { type EventType, observationsRefused, readObservation } from "@pay/events";
import type { Event } from "@pay/proto";
import { isId, type TxHash, toAmount } from "@pay/values";
import type { PoolClient } from "pg";
import { Counter } from "prom-client";
import type { Deps } from "../deps.ts";
import { applyObservation, isVerdict, VERDICT_TYPES } from "../domain/apply-observation.ts";
import { applyRefund } from "../domain/apply-refund.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Payment } from "../domain/payment.ts";
import { recordMove } from "../messages.ts";
import { findByNames, markMined, markPaidLate, type PaymentName } from "../storage/cross-tenant.ts";
import { movePayments } from "../storage/payments.ts";

/** Money that a merchant does not see: it must stay 0. */
const proofsUnapplied = new Counter({
  name: "payment_proofs_unapplied_total",
  help: "Proven transfers and completed refunds that changed nothing of their payment",
  labelNames: ["type", "status"],
});

export const FACT_TYPES: readonly EventType[] = [...VERDICT_TYPES, "refund.completed"];

interface Fact extends PaymentName {
  event: Event;
  /** The submitted hash, if the fact names one. */
  hash: TxHash | undefined;
  read(payment: Payment, now: Date): Outcome;
}

const ROUNDS_MAX = 50;

export async function settleVerdicts(deps: Deps, events: Event[], tx: PoolClient): Promise<void> {
  let open = events.flatMap((event) => toFact(event) ?? []);
  for (let round = 0; open.length > 0; round++) {
    if (round === ROUNDS_MAX) throw new Error("payments kept changing while facts were applied");
    const first = firstPerKey(open, ({ paymentId }) => paymentId);
    const again = await applyOnce(deps, first, tx);
    open = open.filter((fact) => !first.includes(fact) || again.has(fact));
  }
}

function toFact(event: Event): Fact | undefined {
  const { type, resource, projectId, mode } = event;
  if (resource.case === "observation" && isVerdict(type)) {
    const seen = readObservation(event, resource.value);
    return {
      event,
      projectId,
      paymentId: resource.value.subjectId,
      hash: seen.found ? undefined : seen.submittedTxHash,
      read: (payment, now) => applyObservation(payment, seen, now),
    };
  }
  if (resource.case === "refund" && type === "refund.completed") {
    const { paymentId } = resource.value;
    const paymentBaseAmount = toAmount(resource.value.paymentBaseAmount);
    const refundedBaseAmount = toAmount(resource.value.refundedBaseAmount);
    const refunded = { projectId, mode, paymentBaseAmount, refundedBaseAmount };
    const read: Fact["read"] = (payment, now) => applyRefund(payment, refunded, now);
    return { event, projectId, paymentId, hash: undefined, read };
  }
  return undefined;
}

interface Read {
  fact: Fact;
  payment: Payment;
  outcome: Outcome;
}

/** Returns the facts whose payment was moved by another writer. */
async function applyOnce(deps: Deps, facts: Fact[], tx: PoolClient): Promise<Set<Fact>> {
  const now = deps.clock.now();
  const found = await findByNames(tx, facts);
  const payments = new Map(found.map((payment) => [payment.id, payment]));
  const read = facts.flatMap((fact): Read[] => {
    const payment = payments.get(fact.paymentId);
    if (payment !== undefined) return [{ fact, payment, outcome: fact.read(payment, now) }];
    reportUnknown(deps, fact);
    return [];
  });
  const late = read.flatMap(({ payment, outcome }) =>
    outcome.kind === "late"
      ? [{ projectId: payment.project_id, paymentId: payment.id, txHash: outcome.txHash }]
      : [],
  );
  await markPaidLate(tx, late, now);
  const mined = read.flatMap(({ payment: { project_id: projectId, id: paymentId }, outcome }) =>
    outcome.kind === "mined" ? [{ projectId, paymentId, ...outcome }] : [],
  );
  await markMined(tx, mined);
  for (const one of read) report(deps, one);

  const moves = read.flatMap(({ fact, outcome }) => {
    if (outcome.kind !== "moved") return [];
    return [{ fact, ...recordMove(outcome, now, fact.event.requestId) }];
  });
  const done = await movePayments(tx, moves);
  return new Set(moves.flatMap(({ fact, payment }) => (done.has(payment.id) ? [] : [fact])));
}

/** The topic also has events about records of other services. */
function reportUnknown({ log }: Deps, { event: { id: eventId, type }, paymentId }: Fact): void {
  if (!isId("pay", paymentId)) return;
  observationsRefused.inc({ consumer: "payments", field: "project" });
  log.error({ paymentId, eventId, type }, "an observation names no payment of its project");
}

function report({ log }: Deps, { fact: { event, hash }, payment, outcome }: Read): void {
  const { id: eventId, type } = event;
  const { id: paymentId, status } = payment;
  if (outcome.kind === "unapplied") {
    proofsUnapplied.inc({ type, status });
    log.error({ paymentId, eventId, type, status, txHash: hash }, "proven money changes nothing");
  }
  if (outcome.kind === "mismatch") {
    const { field } = outcome;
    observationsRefused.inc({ consumer: "payments", field });
    log.error({ paymentId, eventId, type, field }, "an observation does not fit its payment");
  }
}
