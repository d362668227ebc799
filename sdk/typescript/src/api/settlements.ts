// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Settlement, SettlementList } from "./records/settlements.ts";

export interface SettlementsCreateBody {
  /** Number of the chain. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount?: string | undefined;
  /** The wallet that sends the money. */
  sourceAddress: string;
  /** The wallet that receives the money. */
  destinationAddress: string;
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | undefined;
}

export interface SettlementsCreateQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
  /** State; the guide lists what each means. */
  status?: Array<"requested" | "approved" | "completed" | "failed"> | undefined;
  /** Number of the chain. */
  chainId?: number | undefined;
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsGetQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsTransactionBody {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
}

export interface Settlements {
  /** Request a settlement: collected funds to an address of the address book. */
  create(
    body: SettlementsCreateBody,
    options?: CallOptions<SettlementsCreateQuery>,
  ): Promise<Answer<Settlement>>;
  /** List settlements, newest first. */
  list(
    query?: SettlementsListQuery,
    options?: CallOptions,
  ): Pages<SettlementList["data"][number], SettlementList>;
  /** Read a settlement. */
  get(id: string, query?: SettlementsGetQuery, options?: CallOptions): Promise<Answer<Settlement>>;
  /** Approve a settlement that another key requested. */
  approve(id: string, options?: CallOptions): Promise<Answer<Settlement>>;
  /** Reject a settlement that waits for approval. */
  reject(id: string, options?: CallOptions): Promise<Answer<Settlement>>;
  /** Submit the transaction that pays an approved settlement. */
  transaction(
    id: string,
    body: SettlementsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<Settlement>>;
}
