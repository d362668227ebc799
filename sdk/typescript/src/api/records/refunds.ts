// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedRefund {
  /** Free text; null without one. */
  reason: string | null;
  /** Reason of the failure; null otherwise. */
  failureReason?: string | null;
  /** Reason why a transaction that moved the money does not count, or `payment_reorged`; null otherwise. */
  heldReason?: string | null;
  /** Chain id. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** Wallet that sends the money. */
  sourceAddress?: string;
  /** Wallet that receives the money; null while the refund needs one. */
  destinationAddress?: string | null;
  /** Why the refund may go there; null while it needs a destination. */
  destinationSource?: "payer" | "address_book" | "named" | null;
  /** Id of the key or member that requested it; null where nobody did. */
  requestedBy?: string | null;
  /** `destination` while the refund waits for one; null otherwise. */
  needs?: string | null;
  /** Whether it refunds what was received beyond the payment's amount. */
  surplus?: boolean;
  /** Time at which the transaction was verified; null before. */
  completedAt?: string | null;
  /** Transaction hash under verification; null without one. */
  submittedTxHash?: string | null;
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
  /** Id of the payment. */
  paymentId: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Status; the guide explains each value. */
  status: "created" | "completed" | "failed";
  /** Time of creation. */
  createdAt: string;
}

export interface RefundList {
  /** Items of this page. */
  data: Array<RefundItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface Refund {
  /** Free text; null without one. */
  reason?: string | null;
  /** Reason of the failure; null otherwise. */
  failureReason?: string | null;
  /** Reason why a transaction that moved the money does not count, or `payment_reorged`; null otherwise. */
  heldReason?: string | null;
  /** Chain id. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** Wallet that sends the money. */
  sourceAddress?: string;
  /** Wallet that receives the money; null while the refund needs one. */
  destinationAddress?: string | null;
  /** Why the refund may go there; null while it needs a destination. */
  destinationSource?: "payer" | "address_book" | "named" | null;
  /** Id of the key or member that requested it; null where nobody did. */
  requestedBy?: string | null;
  /** `destination` while the refund waits for one; null otherwise. */
  needs?: string | null;
  /** Whether it refunds what was received beyond the payment's amount. */
  surplus?: boolean;
  /** Time at which the transaction was verified; null before. */
  completedAt?: string | null;
  /** Transaction hash under verification; null without one. */
  submittedTxHash?: string | null;
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
  /** Id of the payment. */
  paymentId: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Status; the guide explains each value. */
  status: "created" | "completed" | "failed";
  /** Transaction hash, once the transaction is verified. */
  txHash?: string;
  /** Time of creation. */
  createdAt: string;
}

export interface RefundItem {
  /** Id of the payment. */
  paymentId?: string;
  /** Time of creation. */
  createdAt?: string;
  /** Free text; null without one. */
  reason?: string | null;
  /** Reason of the failure; null otherwise. */
  failureReason?: string | null;
  /** Reason why a transaction that moved the money does not count, or `payment_reorged`; null otherwise. */
  heldReason?: string | null;
  /** Chain id. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** Wallet that sends the money. */
  sourceAddress?: string;
  /** Wallet that receives the money; null while the refund needs one. */
  destinationAddress?: string | null;
  /** Why the refund may go there; null while it needs a destination. */
  destinationSource?: "payer" | "address_book" | "named" | null;
  /** Id of the key or member that requested it; null where nobody did. */
  requestedBy?: string | null;
  /** `destination` while the refund waits for one; null otherwise. */
  needs?: string | null;
  /** Whether it refunds what was received beyond the payment's amount. */
  surplus?: boolean;
  /** Time at which the transaction was verified; null before. */
  completedAt?: string | null;
  /** Transaction hash under verification; null without one. */
  submittedTxHash?: string | null;
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
  status: "created" | "completed" | "failed";
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
}
