// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { CreatedRefund, Refund, RefundList } from "./records/refunds.ts";

export interface RefundsCreateBody {
  /** Id of the payment. */
  paymentId: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount?: string | undefined;
  /** Free text. */
  reason?: string | undefined;
  /** The wallet that receives the money. */
  destinationAddress?: string | undefined;
}

export interface RefundsCreateQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?:
    | Array<
        | "reason"
        | "failureReason"
        | "heldReason"
        | "chainId"
        | "currency"
        | "sourceAddress"
        | "destinationAddress"
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
  /** Id of the payment. */
  paymentId?: string | undefined;
  /** State; the guide lists what each means. */
  status?: Array<"created" | "completed" | "failed"> | undefined;
  /** Fields and records that the answer shows besides, separated by commas. */
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
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsGetQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?:
    | Array<
        | "reason"
        | "failureReason"
        | "heldReason"
        | "chainId"
        | "currency"
        | "sourceAddress"
        | "destinationAddress"
        | "completedAt"
        | "submittedTxHash"
        | "transaction"
      >
    | undefined;
}

export interface RefundsTransactionBody {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
}

export interface Refunds {
  /** Refund a confirmed payment, in whole or in part. */
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
  /** Hand in the transaction that pays a refund out. */
  transaction(
    id: string,
    body: RefundsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<Refund>>;
}
