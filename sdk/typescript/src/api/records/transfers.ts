// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface TransferList {
  /** Items of this page. */
  data: Array<TransferItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface TransferAssign {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Transaction hash. */
  txHash: string;
  /** Payment that the transfer pays; null otherwise. */
  paymentId: string | null;
  /** Refund that the transfer pays; null otherwise. */
  refundId: string | null;
  /** Status of the payment or refund. */
  status: string;
}

export interface TransferItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** `final`, or `seen` while its block may still leave the chain. */
  state: "seen" | "final";
  /** Payment that the transfer pays; null otherwise. */
  paymentId: string | null;
  /** Refund that the transfer pays; null otherwise. */
  refundId: string | null;
  /** Settlement that the transfer pays; null otherwise. */
  settlementId: string | null;
  /** Reason why the transfer pays nothing; null where it pays something or is being verified. */
  reason:
    | "several_fit"
    | "more_than_due"
    | "own_wallet"
    | "held"
    | "dust"
    | "late"
    | "no_payment"
    | "named_elsewhere"
    | "unknown_reference"
    | "wrong_currency"
    | "payout"
    | "sweep"
    | null;
  /** Payments that the transfer may be meant for; at most ten. */
  candidates: Array<string>;
  /** Transaction hash. */
  txHash: string;
  /** Index of the log within its transaction; null for the native coin. */
  logIndex: number | null;
  /** Wallet that the money left. */
  from: string;
  /** Wallet that received the money. */
  to: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Block of the transaction. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** Time at which the transfer was proven; null before. */
  confirmedAt: string | null;
}
