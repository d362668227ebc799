import { Failure } from "@pay/failures";
import type { FindSettlementRow } from "../generated/sql.ts";
import * as outgoing from "./outgoing.ts";

export const STATUSES = ["requested", "approved", "completed", "failed"] as const;
export type Status = (typeof STATUSES)[number];

/** A row of the table. */
export type Settlement = FindSettlementRow;

/**
 * All moves. Another key or person than the requester approves; failed is final. A completed settlement is approved
 * again where its block leaves the chain.
 */
export const TRANSITIONS = {
  approve: { from: ["requested"], to: "approved", event: "settlement.approved" },
  reject: { from: ["requested"], to: "failed", event: "settlement.failed" },
  submit: { from: ["approved"], to: "approved", event: "settlement.submitted" },
  rejectHash: { from: ["approved"], to: "approved", event: "settlement.refuted" },
  complete: { from: ["approved"], to: "completed", event: "settlement.completed" },
  reorg: { from: ["completed"], to: "approved", event: "settlement.reorged" },
  fail: { from: ["approved"], to: "failed", event: "settlement.failed" },
} as const satisfies Record<string, outgoing.Move<Status>>;

export type Trigger = keyof typeof TRANSITIONS;
export type SettlementEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The columns that a move sets. */
export type SettlementChange = Pick<
  Settlement,
  "status" | "approved_by" | "approved_at" | keyof typeof outgoing.UNMOVED
>;

/** The event of the creation, which is no move. */
export const REQUESTED_EVENT = "settlement.requested";

/** The status after the move, or undefined where the table has no such move. */
export function getNextStatus(status: Status, trigger: Trigger): Status | undefined {
  return outgoing.applyMove<Status>(status, TRANSITIONS[trigger]);
}

/** A settlement after a move, with the event of the move. */
export interface MovedSettlement {
  settlement: Settlement;
  event: SettlementEvent;
}

function move(
  settlement: Settlement,
  trigger: Trigger,
  change: Partial<SettlementChange>,
): MovedSettlement | undefined {
  const status = getNextStatus(settlement.status, trigger);
  if (status === undefined) return undefined;
  const { event } = TRANSITIONS[trigger];
  return {
    event,
    settlement: { ...settlement, ...change, status, version: settlement.version + 1 },
  };
}

function toStatusFailure({ status }: Settlement): Failure {
  return new Failure("settlement_status_invalid", `Settlement is ${status}`);
}

/** Nobody approves a settlement of their own. */
export function approve(
  settlement: Settlement,
  { approvedBy, now }: { approvedBy: string; now: Date },
): MovedSettlement | Failure {
  if (settlement.requested_by === approvedBy) {
    return new Failure(
      "settlement_own_request",
      "A settlement must be approved with another key than the one that requested it",
    );
  }
  const change = { approved_by: approvedBy, approved_at: now };
  return move(settlement, "approve", change) ?? toStatusFailure(settlement);
}

export function reject(settlement: Settlement): MovedSettlement | Failure {
  return move(settlement, "reject", { failure_reason: "rejected" }) ?? toStatusFailure(settlement);
}

/** Completes a settlement by the proof of its transaction; undefined when the settlement is final already. */
export function complete(
  settlement: Settlement,
  proof: outgoing.Proof,
): MovedSettlement | undefined {
  return move(settlement, "complete", outgoing.toProvenColumns(settlement, proof));
}

/** Opens a completed settlement again, because its transaction is not in the chain any more; its amount stays taken. */
export function reorg(
  settlement: Settlement,
  lost: outgoing.LostProof,
): MovedSettlement | undefined {
  const unproven = outgoing.toUnprovenColumns(settlement, lost);
  return unproven && move(settlement, "reorg", unproven);
}

/** Fails a settlement and releases its amount; undefined when the settlement is final already. */
export function fail(settlement: Settlement, reason: string): MovedSettlement | undefined {
  return move(settlement, "fail", { failure_reason: reason });
}

/**
 * Stores the rejection of a hash. The last rejection fails the settlement, unless a transaction may have moved its
 * money.
 */
export function rejectHash(
  settlement: Settlement,
  rejection: outgoing.Rejection,
): MovedSettlement | undefined {
  if (getNextStatus(settlement.status, "rejectHash") === undefined) return undefined;
  const rejected = outgoing.addRejection(settlement, rejection);
  if (rejected === undefined) return undefined;
  return rejected.isOver
    ? fail(rejected.record, rejection.reason)
    : { event: TRANSITIONS.rejectHash.event, settlement: rejected.record };
}

function checkNotServiceSigned({ service_signed }: Settlement): Failure | undefined {
  return service_signed
    ? new Failure(
        "settlement_service_signed",
        "Settlement is sent by the service; it takes no transaction",
      )
    : undefined;
}

export function submitTransaction(
  settlement: Settlement,
  text: string,
): outgoing.Submission<Settlement> {
  const closed =
    getNextStatus(settlement.status, "submit") === undefined
      ? toStatusFailure(settlement)
      : checkNotServiceSigned(settlement);
  return outgoing.submitHash(settlement, text, { noun: "settlement", closed });
}

/** Whether an approved settlement got no transaction in time. Only chains ends the service's own. */
export function isOverdue(settlement: Settlement, approvedBefore: Date): boolean {
  const { approved_at, tx_hash, service_signed } = settlement;
  return (
    tx_hash === null &&
    !service_signed &&
    approved_at !== null &&
    approved_at < approvedBefore &&
    getNextStatus(settlement.status, "fail") !== undefined
  );
}
