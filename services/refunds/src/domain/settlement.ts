import { Failure } from "@pay/failures";
import type { FindSettlementRow } from "../generated/sql.ts";
import * as hashes from "./hashes.ts";
import { type Move, statusAfter } from "./moves.ts";

export const STATUSES = ["requested", "approved", "completed", "failed"] as const;
export type Status = (typeof STATUSES)[number];

/** A row of the table. Numbers of the chain are bigint throughout. */
export type Settlement = FindSettlementRow;

/** All moves. Another key or person than the requester approves; both ends are final. */
export const TRANSITIONS = {
  approve: { from: ["requested"], to: "approved", event: "settlement.approved" },
  reject: { from: ["requested"], to: "failed", event: "settlement.failed" },
  submit: { from: ["approved"], to: "approved", event: "settlement.submitted" },
  refute: { from: ["approved"], to: "approved", event: "settlement.refuted" },
  complete: { from: ["approved"], to: "completed", event: "settlement.completed" },
  fail: { from: ["approved"], to: "failed", event: "settlement.failed" },
} as const satisfies Record<string, Move<Status>>;

export type Trigger = keyof typeof TRANSITIONS;
export type SettlementEvent = (typeof TRANSITIONS)[Trigger]["event"];

/** The columns that a move sets. */
export type SettlementChange = Pick<
  Settlement,
  "status" | "approved_by" | "approved_at" | keyof typeof hashes.UNMOVED
>;

/** The event of a settlement's beginning, which no move leads to. */
export const REQUESTED_EVENT = "settlement.requested";

/** The status after the move, or undefined where the table has no such move. */
export function next(status: Status, trigger: Trigger): Status | undefined {
  return statusAfter<Status>(status, TRANSITIONS[trigger]);
}

/** What became of a settlement. */
export interface Moved {
  settlement: Settlement;
  event: SettlementEvent;
}

function moved(
  settlement: Settlement,
  trigger: Trigger,
  change: Partial<SettlementChange>,
): Moved | undefined {
  const status = next(settlement.status, trigger);
  if (status === undefined) return undefined;
  const { event } = TRANSITIONS[trigger];
  return {
    event,
    settlement: { ...settlement, ...change, status, version: settlement.version + 1 },
  };
}

/** The refusal of a move that the table does not have. */
function illegal({ status }: Settlement): Failure {
  return new Failure("settlement_status_invalid", `Settlement is ${status}`);
}

/** The one who requested the settlement cannot approve it. */
export function approve(
  settlement: Settlement,
  { approvedBy, now }: { approvedBy: string; now: Date },
): Moved | Failure {
  if (settlement.requested_by === approvedBy) {
    return new Failure(
      "settlement_own_request",
      "A settlement must be approved with another key than the one that requested it",
    );
  }
  const change = { approved_by: approvedBy, approved_at: now };
  return moved(settlement, "approve", change) ?? illegal(settlement);
}

export function reject(settlement: Settlement): Moved | Failure {
  return moved(settlement, "reject", { failure_reason: "rejected" }) ?? illegal(settlement);
}

/** The chain shows that the money reached the treasury; undefined when the settlement has ended already. */
export function complete(settlement: Settlement, proof: hashes.Proof): Moved | undefined {
  return moved(settlement, "complete", hashes.provenBy(settlement, proof));
}

/** The money will not be sent; the wallet can settle it again. Undefined when the settlement has ended already. */
export function fail(settlement: Settlement, reason: string): Moved | undefined {
  return moved(settlement, "fail", { failure_reason: reason });
}

/** A submitted hash is not the settlement; the last refutation fails it unless its money has moved. */
export function refute(settlement: Settlement, verdict: hashes.Refutation): Moved | undefined {
  if (next(settlement.status, "refute") === undefined) return undefined;
  const refuted = hashes.withRefutation(settlement, verdict);
  if (refuted === undefined) return undefined;
  return refuted.isOver
    ? fail(refuted.record, verdict.reason)
    : { event: TRANSITIONS.refute.event, settlement: refuted.record };
}

function sentByService({ service_signed }: Settlement): Failure | undefined {
  return service_signed
    ? new Failure(
        "settlement_service_signed",
        "Settlement is sent by the service; it takes no transaction",
      )
    : undefined;
}

export function submission(settlement: Settlement, text: string): hashes.Submission<Settlement> {
  const closed =
    next(settlement.status, "submit") === undefined
      ? illegal(settlement)
      : sentByService(settlement);
  return hashes.submit(settlement, text, { noun: "settlement", closed });
}

/** Approved, but no transaction was submitted in time; of one that the service sends, only the chains service knows. */
export function isOverdue(settlement: Settlement, approvedBefore: Date): boolean {
  const { approved_at, tx_hash, service_signed } = settlement;
  return (
    tx_hash === null &&
    !service_signed &&
    approved_at !== null &&
    approved_at < approvedBefore &&
    next(settlement.status, "fail") !== undefined
  );
}
