import type { RowOf } from "@pay/database";
import { Failure } from "@pay/failures";
import type { RefundModel } from "../generated/prisma/models.ts";
import type { Balance } from "./balance.ts";
import {
  HASHES_MAX,
  type OtherHash,
  parseHash,
  provenBy,
  type Refutation,
  wasSubmitted,
  withHash,
  withRefutation,
} from "./hashes.ts";

export type Status = "created" | "completed" | "failed";

/** A row of the table. Numbers of the chain are bigint throughout. */
export type Refund = RowOf<
  RefundModel,
  {
    status: Status;
    other_hashes: OtherHash[] | null;
  }
>;

export const STATUSES = ["created", "completed", "failed"] as const satisfies Status[];

interface Transition {
  from: readonly Status[];
  to: Status;
  event: string;
}

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
} as const satisfies Record<string, Transition>;

export type Trigger = keyof typeof TRANSITIONS;
export type RefundEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The event of a refund's beginning, which no move leads to. */
export const CREATED_EVENT = "refund.created";

/** The status after the move, or undefined where the table has no such move. */
export function next(status: Status, trigger: Trigger): Status | undefined {
  const { from, to } = TRANSITIONS[trigger] as Transition;
  return from.includes(status) ? to : undefined;
}

/** What became of a refund, with the sums of its payment after it. */
export interface Settled {
  refund: Refund;
  balance: Balance;
  event: RefundEvent;
}

/** The chain shows the money going back; undefined when the refund is settled already. */
export function complete(
  refund: Refund,
  balance: Balance,
  proof: { txHash: string; blockNumber: bigint | null; now: Date },
): Settled | undefined {
  const status = next(refund.status, "complete");
  if (status === undefined) return undefined;
  const completed = balance.completed + refund.base_amount;
  return {
    event: TRANSITIONS.complete.event,
    balance: { ...balance, completed },
    refund: {
      ...refund,
      status,
      ...provenBy(refund, proof),
      refunded_base_amount: completed,
      version: refund.version + 1,
    },
  };
}

/** The refund will not come; what it held of the payment is free again. Undefined when it is settled already. */
export function fail(refund: Refund, balance: Balance, reason: string): Settled | undefined {
  const status = next(refund.status, "fail");
  if (status === undefined) return undefined;
  return {
    event: TRANSITIONS.fail.event,
    balance: { ...balance, reserved: balance.reserved - refund.base_amount },
    refund: {
      ...refund,
      status,
      failure_reason: reason,
      refunded_base_amount: balance.completed,
      version: refund.version + 1,
    },
  };
}

/**
 * A submitted hash is not the refund. While another one has no verdict the refund waits for that. One whose money may
 * have left the wallet already never fails: what it holds of the payment must not be given a second time.
 */
export function refute(refund: Refund, balance: Balance, verdict: Refutation): Settled | undefined {
  const status = next(refund.status, "refute");
  const refuted = status && withRefutation(refund, verdict);
  if (refuted === undefined) return undefined;
  return refuted.isOver
    ? fail(refuted.record, balance, verdict.reason)
    : { event: TRANSITIONS.refute.event, balance, refund: refuted.record };
}

/** What a submitted hash means for a refund: the refund with it, nothing new, or a refusal in public words. */
export type Submission = { kind: "taken"; refund: Refund } | { kind: "unchanged" } | Failure;

export function submission(refund: Refund, text: string): Submission {
  const txHash = parseHash(text);
  if (txHash instanceof Failure) return txHash;
  if (wasSubmitted(refund, txHash)) return { kind: "unchanged" };
  if (next(refund.status, "submit") === undefined) {
    const expected = TRANSITIONS.submit.from.join(", ");
    return new Failure("refund_status_invalid", `Refund is ${refund.status}; expected ${expected}`);
  }
  const taken = withHash(refund, txHash);
  if (taken === undefined) {
    return new Failure(
      "refund_transactions_exhausted",
      `Refund already has ${HASHES_MAX} transactions`,
    );
  }
  return { kind: "taken", refund: taken };
}

/** The money was not sent in time. With a hash a refund is never overdue: the money may be under way. */
export function isOverdue(refund: Refund, createdBefore: Date): boolean {
  return (
    refund.tx_hash === null &&
    refund.created_at < createdBefore &&
    next(refund.status, "fail") !== undefined
  );
}
