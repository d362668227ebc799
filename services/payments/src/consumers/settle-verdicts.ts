// Events of other services about payments: the chain's verdicts on submitted hashes, and completed refunds.
// The facts of a list are applied in rounds, one per payment and round, because each move is decided on the
// payment the one before has left. A fact that does not match the payment's record is not applied. Proven money
// that a payment cannot take is always logged and counted for the operator.
import { firstPerKey } from "@pay/batching";
import { type EventType, observationsRefused, readObservation } from "@pay/events";
import type { Event } from "@pay/proto";
import { isId, type TxHash, toAmount } from "@pay/values";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import type { Finding } from "../domain/finding.ts";
import { wasSubmitted } from "../domain/hashes.ts";
import { type Payment, TRANSITIONS } from "../domain/payment.ts";
import { refundFinding } from "../domain/refunded.ts";
import { isVerdict, toFinding, VERDICT_TYPES } from "../domain/verdict.ts";
import { toEvent } from "../messages.ts";
import { proofsUnapplied } from "../metrics.ts";
import {
  findByNames,
  findSubmitted,
  markMined,
  markPaidLate,
  type PaymentName,
} from "../storage/internal.ts";
import { movePayments } from "../storage/payments.ts";

export const FACT_TYPES: readonly EventType[] = [...VERDICT_TYPES, "refund.completed"];

interface Fact extends PaymentName {
  event: Event;
  /** A submitted hash that the payment must know; undefined where the fact names none. */
  hash: TxHash | undefined;
  read(payment: Payment, context: { now: Date; isInTimeline: boolean }): Finding;
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
      read: (payment, context) => toFinding(payment, seen, context),
    };
  }
  if (resource.case === "refund" && type === "refund.completed") {
    const { paymentId } = resource.value;
    const paymentBaseAmount = toAmount(resource.value.paymentBaseAmount);
    const refundedBaseAmount = toAmount(resource.value.refundedBaseAmount);
    const refunded = { projectId, mode, paymentBaseAmount, refundedBaseAmount };
    const read: Fact["read"] = (payment, { now }) => refundFinding(payment, refunded, now);
    return { event, projectId, paymentId, hash: undefined, read };
  }
  return undefined;
}

interface Read {
  fact: Fact;
  payment: Payment;
  finding: Finding;
}

/** Applies each fact to its payment; returns those whose payment moved meanwhile. */
async function applyOnce(deps: Deps, facts: Fact[], tx: PoolClient): Promise<Set<Fact>> {
  const now = deps.clock.now();
  const payments = await findAll(facts, tx);
  for (const fact of facts) if (!payments.has(fact.paymentId)) reportUnknown(deps, fact);
  const read = await readAll(facts, { payments, now }, tx);
  const late = read.flatMap(({ payment, finding }) =>
    finding.kind === "late"
      ? [{ projectId: payment.project_id, paymentId: payment.id, txHash: finding.txHash }]
      : [],
  );
  await markPaidLate(tx, late, now);
  const mined = read.flatMap(({ payment: { project_id: projectId, id: paymentId }, finding }) =>
    finding.kind === "mined" ? [{ projectId, paymentId, ...finding }] : [],
  );
  await markMined(tx, mined);
  for (const one of read) report(deps, one);

  const moves = read.flatMap(({ fact, finding }) => {
    if (finding.kind !== "moved") return [];
    const { event: type } = TRANSITIONS[finding.trigger];
    const event = toEvent(type, finding.payment, now, fact.event.requestId);
    return [{ fact, payment: finding.payment, event }];
  });
  const done = await movePayments(tx, moves);
  return new Set(moves.flatMap(({ fact, payment }) => (done.has(payment.id) ? [] : [fact])));
}

async function findAll(facts: Fact[], tx: PoolClient): Promise<ReadonlyMap<string, Payment>> {
  const found = await findByNames(tx, facts);
  return new Map(found.map((payment) => [payment.id, payment]));
}

async function readAll(
  facts: Fact[],
  { payments, now }: { payments: ReadonlyMap<string, Payment>; now: Date },
  tx: PoolClient,
): Promise<Read[]> {
  const known = facts.flatMap((fact) => {
    const payment = payments.get(fact.paymentId);
    return payment === undefined ? [] : [{ fact, payment }];
  });
  const asked = known.flatMap(({ fact: { hash }, payment }) =>
    hash === undefined || wasSubmitted(payment, hash)
      ? []
      : [{ projectId: payment.project_id, paymentId: payment.id, txHash: hash }],
  );
  const inTimeline = await findSubmitted(tx, asked);
  return known.map(({ fact, payment }) => {
    const isInTimeline = inTimeline.has(payment.id);
    return { fact, payment, finding: fact.read(payment, { now, isInTimeline }) };
  });
}

/** The topic also has events about records of other services. A payment that its project does not have is refused. */
function reportUnknown({ log }: Deps, { event: { id: eventId, type }, paymentId }: Fact): void {
  if (!isId("pay", paymentId)) return;
  observationsRefused.inc({ consumer: "payments", field: "project" });
  log.error({ paymentId, eventId, type }, "an observation names no payment of its project");
}

function report({ log }: Deps, { fact: { event, hash }, payment, finding }: Read): void {
  const { id: eventId, type } = event;
  const { id: paymentId, status } = payment;
  if (finding.kind === "unapplied") {
    proofsUnapplied.inc({ type, status });
    log.error({ paymentId, eventId, type, status, txHash: hash }, "proven money changes nothing");
  }
  if (finding.kind === "refused") {
    const { field } = finding;
    observationsRefused.inc({ consumer: "payments", field });
    log.error({ paymentId, eventId, type, field }, "an observation does not fit its payment");
  }
}
