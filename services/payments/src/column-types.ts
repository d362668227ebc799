// Types of columns that are narrower than their type in SQL, for tools/sql.ts.
import { hexBytes } from "@pay/database";
import type { Amount, Needs, UnnamedTransfers } from "@pay/values";
import type {
  ArrivedAmount,
  LateDecision,
  ScreenedWallet,
  SenderSum,
  Status,
  SubmittedHash,
} from "./domain/payment.ts";

export interface ColumnTypes {
  "payments.status": Status;
  "payments.base_amount": Amount;
  "payments.received_base_amount": Amount;
  "payments.final_base_amount": Amount;
  "payments.late_base_amount": Amount;
  "payments.late_final_base_amount": Amount;
  "payments.accepted_base_amount": Amount;
  "payments.refunded_base_amount": Amount;
  "payments.surplus_refunded_base_amount": Amount;
  "payments.reserved_base_amount": Amount;
  "payments.screened_base_amount": Amount;
  "payments.late_decision": LateDecision;
  "payments.needs": Needs;
  "payments.unnamed_transfers": UnnamedTransfers;
  "payments.hashes": SubmittedHash[];
  "payments.senders": SenderSum[];
  "payments.arrived": ArrivedAmount[];
  "payments.screened": ScreenedWallet[];
}

export const codecs = {
  tx_hash: hexBytes,
  money_tx_hash: hexBytes,
  payer_address: hexBytes,
  sender_address: hexBytes,
};
