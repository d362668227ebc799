// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { CreatedRefund, Refund, RefundList } from "./records/refunds.ts";

export interface RefundsCreateBody {
  /** Id of the payment. */
  paymentId: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount?: string | null | undefined;
  /** Free text, for you and your customer. */
  reason?: string | null | undefined;
  /** Wallet that receives the money. */
  destinationAddress?: string | null | undefined;
  /** Refunds what was received beyond the payment's amount; it does not count towards the amount. */
  surplus?: boolean | null | undefined;
}

export interface RefundsCreateQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "reason"
        | "failureReason"
        | "heldReason"
        | "chainId"
        | "currency"
        | "sourceAddress"
        | "destinationAddress"
        | "destinationSource"
        | "requestedBy"
        | "needs"
        | "surplus"
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Id of the payment. */
  paymentId?: string | undefined;
  /** Status; the guide explains each value. */
  status?: Array<"created" | "completed" | "failed"> | undefined;
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
  /** Transaction hash. */
  txHash?: string | undefined;
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "paymentId"
        | "createdAt"
        | "reason"
        | "failureReason"
        | "heldReason"
        | "chainId"
        | "currency"
        | "sourceAddress"
        | "destinationAddress"
        | "destinationSource"
        | "requestedBy"
        | "needs"
        | "surplus"
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsGetQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "reason"
        | "failureReason"
        | "heldReason"
        | "chainId"
        | "currency"
        | "sourceAddress"
        | "destinationAddress"
        | "destinationSource"
        | "requestedBy"
        | "needs"
        | "surplus"
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsTransactionBody {
  /** Transaction hash. */
  txHash: string;
}

export interface RefundsDestinationBody {
  /** Wallet that receives the money. */
  destinationAddress: string;
}

export interface Refunds {
  /** Refund what a payment received, in whole or in part. */
  create(
    body: RefundsCreateBody,
    options?: CallOptions<RefundsCreateQuery>,
  ): Promise<Answer<CreatedRefund>>;
  /** List refunds, newest first. */
  list(
    query?: RefundsListQuery,
    options?: CallOptions,
  ): Pages<RefundList["data"][number], RefundList>;
  /** Read a refund. */
  get(id: string, query?: RefundsGetQuery, options?: CallOptions): Promise<Answer<Refund>>;
  /** Submit the transaction hash of a refund. */
  transaction(
    id: string,
    body: RefundsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<Refund>>;
  /** Set the destination of a refund that needs one. */
  destination(
    id: string,
    body: RefundsDestinationBody,
    options?: CallOptions,
  ): Promise<Answer<Refund>>;
  /** Cancel a refund that no transaction may pay. */
  cancel(id: string, options?: CallOptions): Promise<Answer<Refund>>;
}
