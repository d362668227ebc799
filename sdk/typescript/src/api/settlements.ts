// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Settlement, SettlementList } from "./records/settlements.ts";

export interface SettlementsCreateBody {
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount?: string | null | undefined;
  /** Wallet that sends the money. */
  sourceAddress: string;
  /** Wallet that receives the money. */
  destinationAddress: string;
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null | undefined;
}

export interface SettlementsCreateQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Status; the guide explains each value. */
  status?: Array<"requested" | "approved" | "completed" | "failed"> | undefined;
  /** Chain id. */
  chainId?: number | undefined;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string | undefined;
  /** Only items created at or after this time. */
  createdFrom?: string | undefined;
  /** Only items created at this time or before it. */
  createdTo?: string | undefined;
  /** Whether your wallet has to sign it. */
  toSign?: boolean | undefined;
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsGetQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"heldReason" | "transaction"> | undefined;
}

export interface SettlementsTransactionBody {
  /** Transaction hash. */
  txHash: string;
}

export interface Settlements {
  /** Request a settlement of collected funds to an address of the address book. */
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
  /** Submit the transaction hash of an approved settlement. */
  transaction(
    id: string,
    body: SettlementsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<Settlement>>;
}
