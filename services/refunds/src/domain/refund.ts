import { Failure } from "@pay/failures";
import type { Address } from "@pay/values";
import type { FindRefundRow } from "../generated/sql.ts";
import { addTo, type Balance, takeFrom, toSums } from "./balance.ts";
import { type NamingRules, nameDestination, parseDestination } from "./destination.ts";
import * as outgoing from "./outgoing.ts";

export type Status = "created" | "completed" | "failed";

/** A row of the table. */
export type Refund = FindRefundRow;

export const STATUSES = ["created", "completed", "failed"] as const satisfies Status[];

/**
 * All moves. A submitted hash does not change the status; the verdict of the chain does. Failed is final, so a merchant
 * whose refund failed creates another. A completed refund is open again where its block leaves the chain.
 */
export const TRANSITIONS = {
  submit: { from: ["created"], to: "created", event: "refund.submitted" },
  rejectHash: { from: ["created"], to: "created", event: "refund.refuted" },
  complete: { from: ["created"], to: "completed", event: "refund.completed" },
  reorg: { from: ["completed"], to: "created", event: "refund.reorged" },
  fail: { from: ["created"], to: "failed", event: "refund.failed" },
} as const satisfies Record<string, outgoing.Move<Status>>;

export type Trigger = keyof typeof TRANSITIONS;
export type RefundEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The columns that a move sets. */
export type RefundChange = Pick<
  Refund,
  "status" | "paid_from" | keyof ReturnType<typeof toSums> | keyof typeof outgoing.UNMOVED
>;

/** The event of the creation, which is no move. */
export const CREATED_EVENT = "refund.created";
/** The event after which a refund can be paid that had no destination. */
export const DESTINATION_EVENT = "refund.destination_set";
/** The value of the column needs. */
export const NEEDS_DESTINATION = "destination";
const CANCELLED = "cancelled";

export function isOpen({ status }: Pick<Refund, "status">): boolean {
  return status === "created";
}

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
    refund: { ...refund, ...change, ...toSums(balance), status, version: refund.version + 1 },
  };
}

/** Completes a refund by the proof of its transaction; undefined when the refund is final already. */
export function complete(
  refund: Refund,
  balance: Balance,
  { sender = null, ...proof }: outgoing.Proof & { sender?: Address | null | undefined },
): MovedRefund | undefined {
  const after = { refund, balance: addTo("completed", balance, refund) };
  return move(after, "complete", {
    ...outgoing.toProvenColumns(refund, proof),
    paid_from: sender,
  });
}

/** Opens a completed refund again, because its transaction is not in the chain any more; its amount stays reserved. */
export function reorg(
  refund: Refund,
  balance: Balance,
  lost: outgoing.LostProof,
): MovedRefund | undefined {
  const unproven = outgoing.toUnprovenColumns(refund, lost);
  const after = { refund, balance: takeFrom("completed", balance, refund) };
  return unproven && move(after, "reorg", { ...unproven, paid_from: null });
}

/** Fails a refund and releases its amount; undefined when the refund is final already. */
export function fail(refund: Refund, balance: Balance, reason: string): MovedRefund | undefined {
  const after = { refund, balance: takeFrom("reserved", balance, refund) };
  return move(after, "fail", { failure_reason: reason });
}

/** Whether chains may sign its transaction. */
export function isSentByService({ status, service_signed, needs }: Refund): boolean {
  return status === "created" && service_signed && needs === null;
}

/** Fails a refund that nothing pays, so that its amount is free again. What the service sends, chains ends first. */
export function cancel(
  refund: Refund,
  balance: Balance,
  { isUnsendable = false } = {},
): { kind: "moved"; moved: MovedRefund } | { kind: "unchanged" } | Failure {
  if (refund.failure_reason === CANCELLED) return { kind: "unchanged" };
  const moved = fail(refund, balance, CANCELLED);
  if (moved === undefined) return toStatusFailure(refund);
  if (isSentByService(refund) && !isUnsendable) {
    return new Failure("state_contended", "The destination of the refund was set; retry");
  }
  return outgoing.isAwaited(refund)
    ? new Failure(
        "refund_transaction_pending",
        "A submitted transaction may still pay the refund; cancel it once the transaction is rejected",
      )
    : { kind: "moved", moved };
}

/** Sets the destination of a refund that needs one; the same address again changes nothing. */
export function setDestination(
  refund: Refund,
  text: string,
  rules: NamingRules,
): { kind: "set"; refund: Refund } | { kind: "unchanged" } | Failure {
  const { source_address: source, currency } = refund;
  const address = parseDestination(text, { source, currency });
  if (address instanceof Failure) return address;
  if (refund.destination_address === address) return { kind: "unchanged" };
  if (refund.status !== "created") return toStatusFailure(refund);
  if (refund.needs === null) {
    return new Failure(
      "refund_status_invalid",
      `Refund goes to ${refund.destination_address}; cancel it and create another`,
    );
  }
  const named = nameDestination(address, rules);
  if (named instanceof Failure) return named;
  return {
    kind: "set",
    refund: {
      ...refund,
      destination_address: address,
      destination_source: named.source,
      needs: null,
    },
  };
}

function toStatusFailure({ status }: Refund): Failure {
  return new Failure("refund_status_invalid", `Refund is ${status}; expected created`);
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

function checkPayable(refund: Refund): Failure | undefined {
  if (getNextStatus(refund.status, "submit") === undefined) return toStatusFailure(refund);
  if (refund.service_signed) {
    return new Failure(
      "refund_service_signed",
      "Refund is sent by the service; it takes no transaction",
    );
  }
  return refund.needs === null
    ? undefined
    : new Failure("refund_status_invalid", "Refund needs a destination before its transaction");
}

/** Adds a hash. Wallets of earlier hashes stay, because the verdict on an earlier hash may come later. */
export function submitTransaction(
  refund: Refund,
  text: string,
  payoutWallets: readonly Address[] = [],
): outgoing.Submission<Refund> {
  const closed = checkPayable(refund);
  const payout_wallets = [...new Set([...refund.payout_wallets, ...payoutWallets])];
  return outgoing.submitHash({ ...refund, payout_wallets }, text, { noun: "refund", closed });
}

/**
 * Whether no transaction was submitted in time. The money of a submitted hash may be on its way, and only chains knows
 * whether the service's own transaction can still be mined; there is none while the refund needs a destination.
 */
export function isOverdue(refund: Refund, createdBefore: Date): boolean {
  return (
    refund.tx_hash === null &&
    (!refund.service_signed || refund.needs !== null) &&
    refund.created_at < createdBefore &&
    getNextStatus(refund.status, "fail") !== undefined
  );
}
