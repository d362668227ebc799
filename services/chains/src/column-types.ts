// Columns that hold something narrower than their type in SQL, for the functions that are generated from prisma/sql.
import { hexBytes } from "@pay/database";
import type { Address, Amount, Currency, Needs, Reason, TxHash } from "@pay/values";
import type { Wait } from "./attribution/domain/evidence.ts";
import type { CandidateState } from "./attribution/domain/rules.ts";
import type { TransferKind } from "./providers/domain/transfer.ts";

export interface ColumnTypes {
  "candidates.state": CandidateState;
  "candidates.reason": Reason;
  "candidates.waits_for": Wait;
  "candidates.needs": Needs;
  "candidates.other_payers": string[];
  "merchant_transfers.tx_hash": TxHash;
  "merchant_transfers.kind": TransferKind;
  "merchant_transfers.sender": Address;
  "merchant_transfers.recipient": Address;
  "merchant_transfers.value": Amount;
  "transfers.tx_hash": TxHash;
  "transfers.kind": TransferKind;
  "transfers.currency": Currency;
  "transfers.sender": Address;
  "transfers.recipient": Address;
  "transfers.value": Amount;
  "transfers.status": "seen" | "final" | "orphaned";
  "intents.source": Address;
  "intents.destination": Address;
  "intents.currency": Currency;
  "intents.base_amount": Amount;
  "intents.mined_tx_hash": TxHash;
  "signed_transactions.tx_hash": TxHash;
  "book_accounts.wallet": Address;
  "book_accounts.currency": Currency;
  "book_accounts.balance": Amount;
}

export const codecs = { raw: hexBytes };
