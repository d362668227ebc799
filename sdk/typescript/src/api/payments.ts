// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type {
  CreatedPayment,
  Payment,
  PaymentConfirm,
  PaymentExplain,
  PaymentHandoff,
  PaymentList,
  PaymentPayer,
  PaymentRefund,
  PaymentStatus,
} from "./records/payments.ts";

export interface PaymentsCreateBody {
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** Number of the chain. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** The merchant's wallet, which receives the money. */
  recipientAddress: string;
  /** Text that the shopper reads. */
  description?: string | undefined;
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | undefined;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean | undefined;
  /** The merchant's own reference. */
  orderId?: string | undefined;
  /** Minutes until the payment expires. Belongs to Variant B. */
  expiresInMinutes?: number | undefined;
  /** Id of the merchant's customer. */
  customerId?: string | undefined;
  /** Where the checkout page leads the shopper when the payment has ended. */
  returnUrl?: string | undefined;
  /** Language of the checkout page. */
  locale?: "en" | "de" | "fr" | "es" | "pt-BR" | "ja" | "zh-Hans" | "ar" | undefined;
}

export interface PaymentsCreateQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"checkoutUrl"> | undefined;
}

export interface PaymentsListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
  /** State; the guide lists what each means. */
  status?:
    | Array<"created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded">
    | undefined;
  /** The merchant's own reference. */
  orderId?: string | undefined;
  /** Number of the chain. */
  chainId?: number | undefined;
  /** Only what was created at this time or later. */
  createdFrom?: string | undefined;
  /** Only what was created before this time. */
  createdTo?: string | undefined;
  /** Hash of the transaction; null before one is known. */
  txHash?: string | undefined;
  /** Id of the merchant's customer. */
  customerId?: string | undefined;
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?:
    | Array<
        | "metadata"
        | "description"
        | "recipientAddress"
        | "orderId"
        | "qrMode"
        | "customerId"
        | "payerAddress"
        | "receivedAmount"
        | "failureCode"
        | "needs"
        | "expiresAt"
        | "refundedAt"
        | "returnUrl"
        | "locale"
        | "customer"
        | "refunds"
        | "transfers"
        | "timeline"
      >
    | undefined;
}

export interface PaymentsGetQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?:
    | Array<
        | "metadata"
        | "description"
        | "recipientAddress"
        | "orderId"
        | "qrMode"
        | "customerId"
        | "payerAddress"
        | "receivedAmount"
        | "failureCode"
        | "needs"
        | "expiresAt"
        | "refundedAt"
        | "returnUrl"
        | "locale"
        | "customer"
        | "refunds"
        | "transfers"
        | "timeline"
      >
    | undefined;
}

export interface PaymentsConfirmBody {
  /** The shopper's credential for this payment alone. Shown once. */
  clientSecret: string;
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress?: string | undefined;
}

export interface PaymentsPayerBody {
  /** The shopper's credential for this payment alone. Shown once. */
  clientSecret: string;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress: string;
  /** The wallet's personal signature of the payment's id, hexadecimal: no other payment gets its transfers then. The only way to name a payer while `needs` is `payer_signature`. */
  signature?: string | undefined;
}

export interface PaymentsExtendBody {
  /** The shopper's credential for this payment alone. Shown once. */
  clientSecret: string;
}

export interface PaymentsHandoffBody {
  /** The shopper's credential for this payment alone. Shown once. */
  clientSecret: string;
}

export interface PaymentsTransactionBody {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress?: string | undefined;
}

export interface PaymentsResolveBody {
  /** What to do with the money that came late: accept or reject. */
  action: "accept" | "reject";
}

export interface Payments {
  /** Create a payment. */
  create(
    body: PaymentsCreateBody,
    options?: CallOptions<PaymentsCreateQuery>,
  ): Promise<Answer<CreatedPayment>>;
  /** List payments, newest first. */
  list(
    query?: PaymentsListQuery,
    options?: CallOptions,
  ): Pages<PaymentList["data"][number], PaymentList>;
  /** Read a payment. */
  get(id: string, query?: PaymentsGetQuery, options?: CallOptions): Promise<Answer<Payment>>;
  /** Hand in the transaction of a payment, from the shopper's browser. */
  confirm(
    id: string,
    body: PaymentsConfirmBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentConfirm>>;
  /** Name the wallet that will pay, before it sends. */
  payer(id: string, body: PaymentsPayerBody, options?: CallOptions): Promise<Answer<PaymentPayer>>;
  /** Give the shopper more time, as much again as the payment had at first. */
  extend(
    id: string,
    body: PaymentsExtendBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentPayer>>;
  /** Make a link that opens the payment once in another browser, e.g. the one inside a wallet. */
  handoff(
    id: string,
    body: PaymentsHandoffBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentHandoff>>;
  /** The status of a payment, with all that a wallet needs to pay it. */
  status(id: string, options?: CallOptions): Promise<Answer<PaymentStatus>>;
  /** Explain why a payment has its status. */
  explain(id: string, options?: CallOptions): Promise<Answer<PaymentExplain>>;
  /** Hand in the transaction of a payment, from the merchant's server. */
  transaction(
    id: string,
    body: PaymentsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentConfirm>>;
  /** Cancel a payment that no one has paid. */
  cancel(id: string, options?: CallOptions): Promise<Answer<PaymentPayer>>;
  /** Accept or reject money that came after a payment had expired. */
  resolve(
    id: string,
    body: PaymentsResolveBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentPayer>>;
  /** Refund the whole of a payment (Variant B). */
  refund(id: string, options?: CallOptions): Promise<Answer<PaymentRefund>>;
}
