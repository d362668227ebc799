// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Settlement {
  /** Why a transaction that moved the money does not count; null otherwise. */
  heldReason?: string | null;
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
  status: "requested" | "approved" | "completed" | "failed";
  /** Number of the chain. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** The wallet that sends the money. */
  sourceAddress: string;
  /** The wallet that receives the money. */
  destinationAddress: string;
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number | null;
  /** Why it failed; null otherwise. */
  failureReason: string | null;
  /** Id of the key that requested it. */
  requestedBy: string;
  /** Id of the key that approved it; null before. */
  approvedBy: string | null;
  /** The merchant's own keys and values, returned as they were given. */
  metadata: Record<string, unknown> | null;
  /** When it was created. */
  createdAt: string;
  /** When it was approved; null before. */
  approvedAt: string | null;
  /** When the chain had proven the transaction; null before. */
  completedAt: string | null;
}

export interface SettlementList {
  /** The items of this page. */
  data: Array<Settlement>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}
