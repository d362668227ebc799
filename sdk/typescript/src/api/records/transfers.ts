// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface TransferList {
  /** The items of this page. */
  data: Array<TransferItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface TransferAssign {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** Id of the payment. */
  paymentId: string | null;
  /** Id of the refund. */
  refundId: string | null;
  /** State; the guide lists what each means. */
  status: string;
}

export interface TransferItem {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Number of the chain. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** pending, delivered, failed or parked. */
  state: "seen" | "final";
  /** Id of the payment. */
  paymentId: string | null;
  /** Id of the refund. */
  refundId: string | null;
  /** Id of the settlement. */
  settlementId: string | null;
  /** Free text. */
  reason: string | null;
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** Place among the logs of its transaction; null for the native coin. */
  logIndex: number | null;
  /** Address that the money leaves, or the first moment of the list. */
  from: string;
  /** Address that gets the money or the call, or the last moment of the list. */
  to: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** When the chain had proven it. */
  confirmedAt: string | null;
}
