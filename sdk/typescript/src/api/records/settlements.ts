// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Settlement {
  /** Reason why a transaction that moved the money does not count; null otherwise. */
  heldReason?: string | null;
  /** Unsigned transaction for the wallet. */
  transaction?: {
    /** Chain id. */
    chainId: number;
    /** Wallet that signs the transaction. */
    from: string;
    /** Recipient of the transaction or call. */
    to: string;
    /** Amount of the native coin, in hex. */
    value: string;
    /** Call data, in hex. */
    data: string;
  } | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "requested" | "approved" | "completed" | "failed";
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Wallet that sends the money. */
  sourceAddress: string;
  /** Wallet that receives the money. */
  destinationAddress: string;
  /** Transaction hash; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null until the transaction is verified. */
  blockNumber: number | null;
  /** Reason of the failure; null otherwise. */
  failureReason: string | null;
  /** Id of the key or member that requested it. */
  requestedBy: string;
  /** Id of the key or member that approved it; null before the approval. */
  approvedBy: string | null;
  /** Your own keys and values, returned as you sent them. */
  metadata: Record<string, unknown> | null;
  /** Time of creation. */
  createdAt: string;
  /** Time of the approval; null before it. */
  approvedAt: string | null;
  /** Time at which the transaction was verified; null before. */
  completedAt: string | null;
}

export interface SettlementList {
  /** Items of this page. */
  data: Array<Settlement>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}
