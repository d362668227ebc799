import { Failure } from "@pay/failures";
import type { Address } from "@pay/values";
import type { FindRefundRow } from "../generated/sql.ts";
import type { Balance } from "./balance.ts";
import * as outgoing from "./outgoing.ts";

export type Status = "created" | "completed" | "failed";

/** A row of the table. */
export type Refund = FindRefundRow;

export const STATUSES = ["created", "completed", "failed"] as const satisfies Status[];

/**
 * All moves. A submitted hash does not change the status; the verdict of the chain does. Completed and failed are
 * final, so a merchant whose refund failed creates another.
 */
export const TRANSITIONS = {
  submit: { from: ["created"], to: "created", event: "refund.submitted" },
  rejectHash: { from: ["created"], to: "created", event: "refund.refuted" },
  complete: { from: ["created"], to: "completed", event: "refund.completed" },
  fail: { from: ["created"], to: "failed", event: "refund.failed" },
} as const satisfies Record<string, outgoing.Move<Status>>;

export type Trigger = keyof typeof TRANSITIONS;
export type RefundEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The columns that a move sets. */
export type RefundChange = Pick<
  Refund,
  "status" | "refunded_base_amount" | "paid_from" | keyof typeof outgoing.UNMOVED
>;

/** The event of the creation, which is no move. */
export const CREATED_EVENT = "refund.created";

/** The status after the move, or undefined where the table has no such move. */
export function getNextStatus(status: Status, trigger: Trigger): Status | undefined {
  return outgoing.applyMove<Status>(status, TRANSITIONS[trigger]);
}

/** A refund after a move, with the balance of its payment and the event of the move. */
export interface MovedRefund {
  refund: Refund;
  balance: Balance;
  event: RefundEvent;
}

function move(
  { refund, balance }: { refund: Refund; balance: Balance },
  trigger: Trigger,
  change: Partial<RefundChange>,
): MovedRefund | undefined {
  const status = getNextStatus(refund.status, trigger);
  if (status === undefined) return undefined;
  const { event } = TRANSITIONS[trigger];
  return {
    event,
    balance,
    refund: { ...refund, ...change, status, version: refund.version + 1 },
  };
}

/** Completes a refund by the proof of its transaction; undefined when the refund is final already. */
export function complete(
  refund: Refund,
  balance: Balance,
  { sender = null, ...proof }: outgoing.Proof & { sender?: Address | null | undefined },
): MovedRefund | undefined {
  const completed = balance.completed + refund.base_amount;
  const after = { refund, balance: { ...balance, completed } };
  return move(after, "complete", {
    ...outgoing.toProvenColumns(refund, proof),
    paid_from: sender,
    refunded_base_amount: completed,
  });
}

/** Fails a refund and releases its amount; undefined when the refund is final already. */
export function fail(refund: Refund, balance: Balance, reason: string): MovedRefund | undefined {
  const reserved = balance.reserved - refund.base_amount;
  const after = { refund, balance: { ...balance, reserved } };
  return move(after, "fail", {
    failure_reason: reason,
    refunded_base_amount: balance.completed,
  });
}

/**
 * Stores the rejection of a hash. The last rejection fails the refund, unless a transaction may have moved its money.
 */
export function rejectHash(
  refund: Refund,
  balance: Balance,
  rejection: outgoing.Rejection,
): MovedRefund | undefined {
  const status = getNextStatus(refund.status, "rejectHash");
  const rejected = status && outgoing.addRejection(refund, rejection);
  if (rejected === undefined) return undefined;
  return rejected.isOver
    ? fail(rejected.record, balance, rejection.reason)
    : { event: TRANSITIONS.rejectHash.event, balance, refund: rejected.record };
}

function checkNotServiceSigned({ service_signed }: Refund): Failure | undefined {
  return service_signed
    ? new Failure("refund_service_signed", "Refund is sent by the service; it takes no transaction")
    : undefined;
}

/** Adds a hash. Wallets of earlier hashes stay, because the verdict on an earlier hash may come later. */
export function submitTransaction(
  refund: Refund,
  text: string,
  payoutWallets: readonly Address[] = [],
): outgoing.Submission<Refund> {
  const { status } = refund;
  const expected = TRANSITIONS.submit.from.join(", ");
  const closed =
    getNextStatus(status, "submit") === undefined
      ? new Failure("refund_status_invalid", `Refund is ${status}; expected ${expected}`)
      : checkNotServiceSigned(refund);
  const payout_wallets = [...new Set([...refund.payout_wallets, ...payoutWallets])];
  return outgoing.submitHash({ ...refund, payout_wallets }, text, { noun: "refund", closed });
}

/**
 * Whether no transaction was submitted in time. The money of a submitted hash may be on its way, and only chains knows
 * whether the service's own transaction can still be mined.
 */
export function isOverdue(refund: Refund, createdBefore: Date): boolean {
  return (
    refund.tx_hash === null &&
    !refund.service_signed &&
    refund.created_at < createdBefore &&
    getNextStatus(refund.status, "fail") !== undefined
  );
}
