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
  PaymentRecheck,
  PaymentRefund,
  PaymentStatus,
  PaymentSweep,
  SubmittedAuthorization,
} from "./records/payments.ts";

export interface PaymentsCreateBody {
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Chain id. */
  chainId: number;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Your wallet, which receives the money. Without it that of the project's wallets for the chain. */
  recipientAddress?: string | null | undefined;
  /** Text that the customer reads. */
  description?: string | null | undefined;
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean | null | undefined;
  /** Your own reference. */
  orderId?: string | null | undefined;
  /** Minutes until the payment expires. Belongs to Variant B. */
  expiresInMinutes?: number | null | undefined;
  /** Id of the customer. */
  customerId?: string | null | undefined;
  /** Link of the checkout page back to your shop, shown when the payment has ended. */
  returnUrl?: string | null | undefined;
  /** Link of the checkout page back to your shop, shown while nothing is paid. */
  cancelUrl?: string | null | undefined;
  /** What the checkout page shows beside the amount; never converted. */
  displayAmount?: {
    /** Amount in whole units, as a decimal string. */
    amount: string | undefined;
    /** Currency code of ISO 4217. */
    currency: string;
  } | null;
  /** Language of the checkout page. */
  locale?: "en" | "de" | "fr" | "es" | "pt-BR" | "ja" | "zh-Hans" | "ar" | null | undefined;
  /** Whether the payment gets a deposit address; otherwise the project's setting. */
  depositAddresses?: boolean | null | undefined;
}

export interface PaymentsCreateQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"checkoutUrl"> | undefined;
}

export interface PaymentsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Status; the guide explains each value. */
  status?:
    | Array<"created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded">
    | undefined;
  /** Your own reference. */
  orderId?: string | undefined;
  /** Chain id. */
  chainId?: number | undefined;
  /** Only items created at or after this time. */
  createdFrom?: string | undefined;
  /** Only items created at this time or before it. */
  createdTo?: string | undefined;
  /** Transaction hash. */
  txHash?: string | undefined;
  /** Id of the customer. */
  customerId?: string | undefined;
  /** Wallet that paid, else the declared one. */
  payerAddress?: string | undefined;
  /** Your wallet, which receives the money. */
  recipientAddress?: string | undefined;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string | undefined;
  /** Smallest amount, in whole units. */
  amountFrom?: string | undefined;
  /** Largest amount, in whole units. */
  amountTo?: string | undefined;
  /** Reason of the failure. */
  failureCode?:
    | "cancelled"
    | "reverted"
    | "recipient_mismatch"
    | "wrong_token"
    | "predates_payment"
    | "late"
    | "transfer_already_used"
    | "underpaid"
    | "replaced"
    | "not_found"
    | "reorged"
    | "ambiguous"
    | undefined;
  /** Only payments that wait for a person. */
  needs?: "payer_signature" | "review" | undefined;
  /** Whether a refund is completed. */
  refunded?: boolean | undefined;
  /** What created the payment. */
  source?: "api" | "dashboard" | undefined;
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "chainId"
        | "metadata"
        | "description"
        | "recipientAddress"
        | "payTo"
        | "orderId"
        | "qrMode"
        | "customerId"
        | "payerAddress"
        | "receivedAmount"
        | "receivedBySender"
        | "refundedAmount"
        | "failureCode"
        | "needs"
        | "screened"
        | "expiresAt"
        | "refundedAt"
        | "returnUrl"
        | "cancelUrl"
        | "displayAmount"
        | "locale"
        | "source"
        | "requestedBy"
        | "customer"
        | "refunds"
        | "transfers"
        | "attribution"
        | "timeline"
        | "checkoutUrl"
      >
    | undefined;
}

export interface PaymentsGetQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "chainId"
        | "metadata"
        | "description"
        | "recipientAddress"
        | "payTo"
        | "orderId"
        | "qrMode"
        | "customerId"
        | "payerAddress"
        | "receivedAmount"
        | "receivedBySender"
        | "refundedAmount"
        | "failureCode"
        | "needs"
        | "screened"
        | "expiresAt"
        | "refundedAt"
        | "returnUrl"
        | "cancelUrl"
        | "displayAmount"
        | "locale"
        | "source"
        | "requestedBy"
        | "customer"
        | "refunds"
        | "transfers"
        | "attribution"
        | "timeline"
        | "checkoutUrl"
      >
    | undefined;
}

export interface PaymentsConfirmBody {
  /** The customer's credential for this payment alone. */
  clientSecret: string;
  /** Transaction hash. */
  txHash: string;
  /** The customer's wallet; decides nothing unless it signs. */
  payerAddress?: string | null | undefined;
}

export interface PaymentsPayerBody {
  /** The customer's credential for this payment alone. */
  clientSecret: string;
  /** The customer's wallet; decides nothing unless it signs. */
  payerAddress: string;
  /** The wallet's signature of `payerMessage` or the payment id, in hex; required while `needs` is `payer_signature`. */
  signature?: string | null | undefined;
}

export interface PaymentsAuthorizeBody {
  /** The customer's credential for this payment alone. */
  clientSecret: string;
  /** The message of the typed data, as the wallet has signed it. */
  authorization: {
    /** The payer's wallet, which has signed. */
    from: string;
    /** `payTo` of the payment. */
    to: string;
    /** `dueBaseAmount` of the payment. */
    value: string;
    /** Time after which it is valid, in seconds since 1970. */
    validAfter: string;
    /** Time before which it is valid, in seconds since 1970. */
    validBefore: string;
    /** Nonce; it begins with the reference of the payment. */
    nonce: string;
  };
  /** Signature of the typed data, in hex. */
  signature: string;
}

export interface PaymentsExtendBody {
  /** The customer's credential for this payment alone. */
  clientSecret: string;
}

export interface PaymentsHandoffBody {
  /** The customer's credential for this payment alone. */
  clientSecret: string;
}

export interface PaymentsX402GetQuery {
  /** Ticket of `x402Url`, in place of the client secret. */
  ticket?: string | undefined;
}

export interface PaymentsX402CreateQuery {
  /** Ticket of `x402Url`, in place of the client secret. */
  ticket?: string | undefined;
}

export interface PaymentsSweepQuery {
  /** Currency to move; otherwise the payment's. */
  currency?: string | undefined;
}

export interface PaymentsTransactionBody {
  /** Transaction hash. */
  txHash: string;
  /** The customer's wallet; decides nothing unless it signs. */
  payerAddress?: string | null | undefined;
  /** true: the transfers of the transaction are for this payment, by your word, in any amount and at any time. Otherwise the hash only says where to look. */
  attribute?: boolean | null | undefined;
}

export interface PaymentsResolveBody {
  /** `accept` what arrived as the payment, or `reject` it. */
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
  /** Submit the transaction hash of a payment, from the customer's browser. */
  confirm(
    id: string,
    body: PaymentsConfirmBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentConfirm>>;
  /** Declare the payer's wallet. */
  payer(id: string, body: PaymentsPayerBody, options?: CallOptions): Promise<Answer<PaymentPayer>>;
  /** Pay by a signature of the customer's wallet, without gas (EIP-3009). */
  authorize(
    id: string,
    body: PaymentsAuthorizeBody,
    options?: CallOptions,
  ): Promise<Answer<SubmittedAuthorization>>;
  /** Extend the time limit of a payment. */
  extend(
    id: string,
    body: PaymentsExtendBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentPayer>>;
  /** Create a one-time link that opens the payment in another browser, e.g. inside a wallet. */
  handoff(
    id: string,
    body: PaymentsHandoffBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentHandoff>>;
  /** Read the status of a payment and the details that a wallet needs to pay it. */
  status(id: string, options?: CallOptions): Promise<Answer<PaymentStatus>>;
  readonly x402: {
    /** Pay as a client of x402: 402 with what to sign, then the status of the paid payment. */
    get(
      id: string,
      query?: PaymentsX402GetQuery,
      options?: CallOptions,
    ): Promise<Answer<PaymentStatus>>;
    /** Pay as a client of x402: 402 with what to sign, then the status of the paid payment. */
    create(
      id: string,
      query?: PaymentsX402CreateQuery,
      options?: CallOptions,
    ): Promise<Answer<PaymentStatus>>;
  };
  /** Explain why a payment has its status. */
  explain(id: string, options?: CallOptions): Promise<Answer<PaymentExplain>>;
  /** Read the transaction that moves the money of a deposit address to your wallet. */
  sweep(
    id: string,
    query?: PaymentsSweepQuery,
    options?: CallOptions,
  ): Promise<Answer<PaymentSweep>>;
  /** Read what is at a deposit address now. */
  recheck(id: string, options?: CallOptions): Promise<Answer<PaymentRecheck>>;
  /** Submit the transaction hash of a payment, from your server. */
  transaction(
    id: string,
    body: PaymentsTransactionBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentConfirm>>;
  /** Cancel an unpaid payment. */
  cancel(id: string, options?: CallOptions): Promise<Answer<PaymentPayer>>;
  /** Accept or reject money that is late or too little. */
  resolve(
    id: string,
    body: PaymentsResolveBody,
    options?: CallOptions,
  ): Promise<Answer<PaymentPayer>>;
  /** Refund the whole of a payment (Variant B). */
  refund(id: string, options?: CallOptions): Promise<Answer<PaymentRefund>>;
}
