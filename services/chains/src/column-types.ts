// Columns whose values are narrower than their types in SQL.
import type { Needs, Reason } from "@pay/values";
import type { Wait } from "./attribution/domain/evidence.ts";
import type { CandidateState } from "./attribution/domain/rules.ts";
import type { TransferKind } from "./providers/domain/transfer.ts";

export interface ColumnTypes {
  "candidates.state": CandidateState;
  "candidates.reason": Reason;
  "candidates.waits_for": Wait;
  "candidates.needs": Needs;
  "candidates.other_payers": string[];
  "transfers.kind": TransferKind;
  "transfers.status": "seen" | "final" | "orphaned";
}
