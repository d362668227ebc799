// What other services found out about payments: the chain's verdict on a submitted hash, and completed refunds.
// The facts of a list are applied in rounds, one per payment and round, because each move is decided on the
// payment the one before has left.
import type { Event } from "@pay/proto";
import type { PoolClient } from "pg";
import type { Deps } from "../deps.ts";
import { move, type Payment, TRANSITIONS, type Trigger } from "../domain/payment.ts";
import { findByIds, movePayments } from "../storage.ts";
import { markPaidLate } from "../timeline-storage.ts";
import { toEvent } from "../wire.ts";

interface Fact {
  paymentId: string;
  requestId: string;
  /** What the fact makes of the payment; undefined when it changes nothing. */
  apply(payment: Payment, now: Date): { trigger: Trigger; payment: Payment } | undefined;
}

const ROUNDS_MAX = 50;

export const settleVerdicts = async (
  deps: Deps,
  events: Event[],
  tx: PoolClient,
): Promise<void> => {
  let open = events.flatMap((event) => factOf(event) ?? []);
  const late = events.flatMap(latecomerOf);
  for (let round = 0; open.length > 0; round++) {
    if (round === ROUNDS_MAX) throw new Error("payments kept changing while facts were applied");
    const first = firstOfEachPayment(open);
    const again = await applyOnce(deps, first, tx);
    open = open.filter((fact) => !first.includes(fact) || again.has(fact));
  }
  await markPaidLate(tx, late, deps.clock.now());
};

const factOf = (event: Event): Fact | undefined => {
  if (event.resource.case === "observation") return verdictOf(event);
  if (event.type === "refund.completed") return refundOf(event);
  return undefined;
};

const verdictOf = ({ type, requestId, resource }: Event): Fact | undefined => {
  if (resource.case !== "observation") return undefined;
  const seen = resource.value;
  const apply: Fact["apply"] =
    type === "transfer.confirmed"
      ? (payment, now) =>
          outcome(payment, "confirm", {
            tx_hash: seen.txHash,
            block_number: seen.blockNumber ?? null,
            received_base_amount: BigInt(seen.receivedBaseAmount ?? payment.base_amount),
            sender_address: seen.senderAddress ?? null,
            failure_code: null,
            confirmed_at: now,
          })
      : (payment) => {
          // A hash that was replaced by another is no longer this payment's business.
          if (payment.tx_hash !== seen.txHash) return undefined;
          const trigger = seen.reason === LATE ? "expire" : "fail";
          return outcome(payment, trigger, { failure_code: seen.reason });
        };
  return { paymentId: seen.subjectId, requestId, apply };
};

/** Mined after expiresAt: not a failed payment but one that came too late. */
const LATE = "late";

const latecomerOf = ({ resource }: Event) =>
  resource.case === "observation" && resource.value.reason === LATE
    ? [{ paymentId: resource.value.subjectId, txHash: resource.value.txHash }]
    : [];

const refundOf = ({ requestId, resource }: Event): Fact | undefined => {
  if (resource.case !== "refund") return undefined;
  const { paymentId, paymentBaseAmount, refundedBaseAmount } = resource.value;
  const whole = BigInt(refundedBaseAmount) >= BigInt(paymentBaseAmount);
  return {
    paymentId,
    requestId,
    apply: (payment, now) =>
      whole ? outcome(payment, "refund", { refunded_at: now }) : outcome(payment, "refundPart", {}),
  };
};

const outcome = (payment: Payment, trigger: Trigger, change: Parameters<typeof move>[2]) => {
  const moved = move(payment, trigger, change);
  return moved && { trigger, payment: moved };
};

const firstOfEachPayment = (facts: Fact[]): Fact[] => {
  const seen = new Set<string>();
  return facts.filter(({ paymentId }) => !seen.has(paymentId) && seen.add(paymentId));
};

/** Applies each fact to its payment; answers those whose payment moved meanwhile. */
const applyOnce = async (deps: Deps, facts: Fact[], tx: PoolClient): Promise<Set<Fact>> => {
  const found = await findByIds(
    tx,
    facts.map(({ paymentId }) => paymentId),
  );
  const payments = new Map(found.map((payment) => [payment.id, payment]));
  const now = deps.clock.now();
  const moves = facts.flatMap((fact) => {
    const payment = payments.get(fact.paymentId);
    const result = payment && fact.apply(payment, now);
    if (result === undefined) return [];
    const { event } = TRANSITIONS[result.trigger];
    return [
      { fact, payment: result.payment, event: toEvent(event, result.payment, now, fact.requestId) },
    ];
  });
  const done = await movePayments(tx, moves);
  return new Set(moves.flatMap(({ fact, payment }) => (done.has(payment.id) ? [] : [fact])));
};
