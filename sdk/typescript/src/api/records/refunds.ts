// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedRefund {
  /** Free text. */
  reason: string | null;
  /** Why it failed; null otherwise. */
  failureReason?: string | null;
  /** Why a transaction that moved the money does not count; null otherwise. */
  heldReason?: string | null;
  /** Number of the chain. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** The wallet that sends the money. */
  sourceAddress?: string;
  /** The wallet that receives the money. */
  destinationAddress?: string;
  /** When the chain had proven the transaction; null before. */
  completedAt?: string | null;
  /** The hash that is being verified; null without one. */
  submittedTxHash?: string | null;
  /** The transaction as a wallet takes it. */
  transaction?: {
    /** Number of the chain. */
    chainId: number;
    /** The wallet that signs it. */
    from: string;
    /** Address that the transaction goes to. */
    to: string;
    /** Amount of the native coin that goes with it, in hex. */
    value: string;
    /** Call data, in hex. */
    data: string;
  } | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Id of the payment. */
  paymentId: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** State; the guide lists what each means. */
  status: "created" | "completed" | "failed";
  /** When it was created. */
  createdAt: string;
}

export interface RefundList {
  /** The items of this page. */
  data: Array<RefundItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface Refund {
  /** Free text. */
  reason?: string | null;
  /** Why it failed; null otherwise. */
  failureReason?: string | null;
  /** Why a transaction that moved the money does not count; null otherwise. */
  heldReason?: string | null;
  /** Number of the chain. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** The wallet that sends the money. */
  sourceAddress?: string;
  /** The wallet that receives the money. */
  destinationAddress?: string;
  /** When the chain had proven the transaction; null before. */
  completedAt?: string | null;
  /** The hash that is being verified; null without one. */
  submittedTxHash?: string | null;
  /** The transaction as a wallet takes it. */
  transaction?: {
    /** Number of the chain. */
    chainId: number;
    /** The wallet that signs it. */
    from: string;
    /** Address that the transaction goes to. */
    to: string;
    /** Amount of the native coin that goes with it, in hex. */
    value: string;
    /** Call data, in hex. */
    data: string;
  } | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Id of the payment. */
  paymentId: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** State; the guide lists what each means. */
  status: "created" | "completed" | "failed";
  /** Hash of the transaction; null before one is known. */
  txHash?: string;
  /** When it was created. */
  createdAt: string;
}

export interface RefundItem {
  /** Id of the payment. */
  paymentId?: string;
  /** When it was created. */
  createdAt?: string;
  /** Free text. */
  reason?: string | null;
  /** Why it failed; null otherwise. */
  failureReason?: string | null;
  /** Why a transaction that moved the money does not count; null otherwise. */
  heldReason?: string | null;
  /** Number of the chain. */
  chainId?: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string;
  /** The wallet that sends the money. */
  sourceAddress?: string;
  /** The wallet that receives the money. */
  destinationAddress?: string;
  /** When the chain had proven the transaction; null before. */
  completedAt?: string | null;
  /** The hash that is being verified; null without one. */
  submittedTxHash?: string | null;
  /** The transaction as a wallet takes it. */
  transaction?: {
    /** Number of the chain. */
    chainId: number;
    /** The wallet that signs it. */
    from: string;
    /** Address that the transaction goes to. */
    to: string;
    /** Amount of the native coin that goes with it, in hex. */
    value: string;
    /** Call data, in hex. */
    data: string;
  } | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "completed" | "failed";
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
}
