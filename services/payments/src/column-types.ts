// Types of columns that are narrower than their type in SQL, for tools/sql.ts.
import { hexBytes } from "@pay/database";
import type { Amount, Needs } from "@pay/values";
import type { LateDecision, OtherHash, Status } from "./domain/payment.ts";

export interface ColumnTypes {
  "payments.status": Status;
  "payments.base_amount": Amount;
  "payments.received_base_amount": Amount;
  "payments.late_decision": LateDecision;
  "payments.needs": Needs;
  "payments.other_hashes": OtherHash[];
}

export const codecs = {
  tx_hash: hexBytes,
  payer_address: hexBytes,
  sender_address: hexBytes,
  seen_sender: hexBytes,
  needs_hash: hexBytes,
};
