import type { Amount } from "@pay/values";
import type { OtherHash } from "./domain/outgoing.ts";
import type { Status as RefundStatus } from "./domain/refund.ts";
import type { Status as SettlementStatus } from "./domain/settlement.ts";

export interface ColumnTypes {
  "refunds.status": RefundStatus;
  "refunds.base_amount": Amount;
  "refunds.other_hashes": OtherHash[];
  "settlements.status": SettlementStatus;
  "settlements.base_amount": Amount;
  "settlements.other_hashes": OtherHash[];
}
