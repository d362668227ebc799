// Columns that hold something narrower than their type in SQL, for the functions that are generated from prisma/sql.
import { hexBytes } from "@pay/database";
import type {
  Address,
  Amount,
  Currency,
  PaymentReference,
  ScreeningCause,
  ScreeningPolicy,
  TxHash,
} from "@pay/values";
import type { Rule, Unmatched } from "./attribution/domain/decision.ts";
import type { Outcome } from "./attribution/domain/money.ts";
import type { StoredMoney } from "./attribution/storage/money.ts";
import type { AuthorizationState } from "./payouts/domain/authorization.ts";
import type { IntentKind } from "./payouts/domain/intent.ts";
import type { TransferKind } from "./providers/domain/transfer.ts";
import type { Proofs, TransactionState, Wait } from "./verification/domain/transaction.ts";

export interface ColumnTypes {
  "transactions.state": TransactionState;
  "transactions.tx_hash": TxHash;
  "transactions.waits_for": Wait;
  "transactions.proofs": Proofs;
  "transactions.replaced_by": TxHash;
  "submissions.tx_hash": TxHash;
  "submissions.recipient": Address;
  "submissions.currency": Currency;
  "submissions.sources": Address[];
  "submissions.base_amount": Amount;
  "submissions.outcome": Outcome;
  "watches.recipient": Address;
  "watches.currency": Currency;
  "watches.base_amount": Amount;
  "watches.signed_by": Address;
  "watches.reference": PaymentReference;
  "watches.pay_to": Address;
  "deposits.address": Address;
  "deposits.currency": Currency;
  "deposits.amount": Amount;
  "attributions.rule": Rule;
  "attributions.reason": Unmatched;
  "attributions.candidates": string[];
  "attribution_queue.recipient": Address;
  "attribution_queue.currency": Currency;
  "payment_sums.money": StoredMoney;
  "screening_policies.policy": ScreeningPolicy;
  "screenings.sender": Address;
  "screenings.recipient": Address;
  "screenings.currency": Currency;
  "screenings.cause": ScreeningCause;
  "merchant_transfers.rule": Rule;
  "merchant_transfers.reason": Unmatched;
  "merchant_transfers.candidates": string[];
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
  "transfers.wallet": Address;
  "transfers.value": Amount;
  "transfers.reference": PaymentReference;
  "transfers.status": "seen" | "final" | "orphaned";
  "deposits.recipient": Address;
  "intents.kind": IntentKind;
  "intents.payment_ids": string[];
  "intents.source": Address;
  "intents.destination": Address;
  "intents.currency": Currency;
  "intents.base_amount": Amount;
  "intents.mined_tx_hash": TxHash;
  "authorizations.token": Address;
  "authorizations.payer": Address;
  "authorizations.recipient": Address;
  "authorizations.sponsor": Address;
  "authorizations.value": Amount;
  "authorizations.tx_hash": TxHash;
  "authorizations.state": AuthorizationState;
  "authorizations.reference": PaymentReference;
  "signed_transactions.tx_hash": TxHash;
  "book_accounts.wallet": Address;
  "book_accounts.currency": Currency;
  "book_accounts.balance": Amount;
}

export const codecs = { raw: hexBytes };
