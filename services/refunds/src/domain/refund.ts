import { Failure } from "@pay/failures";
import type { Address } from "@pay/values";
import type { FindRefundRow } from "../generated/sql.ts";
import type { Balance } from "./balance.ts";
import * as hashes from "./hashes.ts";
import { type Move, statusAfter } from "./moves.ts";

export type Status = "created" | "completed" | "failed";

/** A row of the table. Numbers of the chain are bigint throughout. */
export type Refund = FindRefundRow;

export const STATUSES = ["created", "completed", "failed"] as const satisfies Status[];

/**
 * All moves. A submitted hash is published for the chains service, but the refund stays created until the
 * verdict; a refutation beside a hash that has none yet is noted; both ends are final, so a merchant whose refund failed
 * creates another.
 */
export const TRANSITIONS = {
  submit: { from: ["created"], to: "created", event: "refund.submitted" },
  refute: { from: ["created"], to: "created", event: "refund.refuted" },
  complete: { from: ["created"], to: "completed", event: "refund.completed" },
  fail: { from: ["created"], to: "failed", event: "refund.failed" },
} as const satisfies Record<string, Move<Status>>;

export type Trigger = keyof typeof TRANSITIONS;
export type RefundEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The columns that a move sets. */
export type RefundChange = Pick<
  Refund,
  "status" | "refunded_base_amount" | "paid_from" | keyof typeof hashes.UNMOVED
>;

/** The event of a refund's beginning, which no move leads to. */
export const CREATED_EVENT = "refund.created";

/** The status after the move, or undefined where the table has no such move. */
export function next(status: Status, trigger: Trigger): Status | undefined {
  return statusAfter<Status>(status, TRANSITIONS[trigger]);
}

/** What became of a refund, with the sums of its payment after it. */
export interface Settled {
  refund: Refund;
  balance: Balance;
  event: RefundEvent;
}

function moved(
  { refund, balance }: { refund: Refund; balance: Balance },
  trigger: Trigger,
  change: Partial<RefundChange>,
): Settled | undefined {
  const status = next(refund.status, trigger);
  if (status === undefined) return undefined;
  const { event } = TRANSITIONS[trigger];
  return {
    event,
    balance,
    refund: { ...refund, ...change, status, version: refund.version + 1 },
  };
}

/** The chain shows the money going back; undefined when the refund is settled already. */
export function complete(
  refund: Refund,
  balance: Balance,
  { sender = null, ...proof }: hashes.Proof & { sender?: Address | null | undefined },
): Settled | undefined {
  const completed = balance.completed + refund.base_amount;
  const after = { refund, balance: { ...balance, completed } };
  return moved(after, "complete", {
    ...hashes.provenBy(refund, proof),
    paid_from: sender,
    refunded_base_amount: completed,
  });
}

/** The refund will not come; what it held of the payment is free again. Undefined when it is settled already. */
export function fail(refund: Refund, balance: Balance, reason: string): Settled | undefined {
  const reserved = balance.reserved - refund.base_amount;
  const after = { refund, balance: { ...balance, reserved } };
  return moved(after, "fail", {
    failure_reason: reason,
    refunded_base_amount: balance.completed,
  });
}

/**
 * A submitted hash is not the refund. While another one has no verdict the refund waits for that. One whose money may
 * have left the wallet already never fails: what it holds of the payment must not be given a second time.
 */
export function refute(
  refund: Refund,
  balance: Balance,
  verdict: hashes.Refutation,
): Settled | undefined {
  const status = next(refund.status, "refute");
  const refuted = status && hashes.withRefutation(refund, verdict);
  if (refuted === undefined) return undefined;
  return refuted.isOver
    ? fail(refuted.record, balance, verdict.reason)
    : { event: TRANSITIONS.refute.event, balance, refund: refuted.record };
}

function sentByService({ service_signed }: Refund): Failure | undefined {
  return service_signed
    ? new Failure("refund_service_signed", "Refund is sent by the service; it takes no transaction")
    : undefined;
}

/** Wallets that were named with an earlier hash stay: the verdict on that one may come later. */
export function submission(
  refund: Refund,
  text: string,
  payoutWallets: readonly Address[] = [],
): hashes.Submission<Refund> {
  const { status } = refund;
  const expected = TRANSITIONS.submit.from.join(", ");
  const closed =
    next(status, "submit") === undefined
      ? new Failure("refund_status_invalid", `Refund is ${status}; expected ${expected}`)
      : sentByService(refund);
  const wallets = new Set([...refund.payout_wallets, ...payoutWallets]);
  const named = { ...refund, payout_wallets: [...wallets] };
  return hashes.submit(named, text, { noun: "refund", closed });
}

/**
 * The money was not sent in time. With a hash a refund is never overdue, because the money may be under way; nor is one that the
 * service sends, because only the chains service knows whether its transaction can still be mined.
 */
export function isOverdue(refund: Refund, createdBefore: Date): boolean {
  return (
    refund.tx_hash === null &&
    !refund.service_signed &&
    refund.created_at < createdBefore &&
    next(refund.status, "fail") !== undefined
  );
}
