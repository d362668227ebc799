// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Refund } from "./refunds.ts";

export interface CreatedPayment {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** The shopper's credential for this payment alone. Shown once. */
  clientSecret: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Number of the chain. */
  chainId: number;
  /** The merchant's wallet, which receives the money. */
  recipientAddress: string;
  /** Text that the shopper reads. */
  description?: string | null;
  /** Until when it holds. */
  expiresAt: string;
  /** When it was created. */
  createdAt: string;
  /** Link of the page on which the shopper pays. It holds the client secret behind its #. */
  checkoutUrl?: string;
  /** The merchant's own reference. */
  orderId?: string | null;
}

export interface PaymentList {
  /** The items of this page. */
  data: Array<PaymentItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface Payment {
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | null;
  /** Text that the shopper reads. */
  description?: string | null;
  /** The merchant's wallet, which receives the money. */
  recipientAddress?: string;
  /** The merchant's own reference. */
  orderId?: string | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean;
  /** Id of the merchant's customer. */
  customerId?: string | null;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress?: string | null;
  /** What all transactions of the payment brought; null before any. */
  receivedAmount?: string | null;
  /** Why the payment failed; null otherwise. */
  failureCode?: string | null;
  /** What its transaction needs besides the chain: `payer_signature`, a signature of the wallet that paid; `review`, a person who looks; null for nothing. */
  needs?: "payer_signature" | "review" | null;
  /** Until when it holds. */
  expiresAt?: string;
  /** When it was refunded; null before. */
  refundedAt?: string | null;
  /** Where the checkout page leads the shopper when the payment has ended. */
  returnUrl?: string | null;
  /** Language of the checkout page. */
  locale?: string | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number | null;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Number of the chain. */
  chainId: number;
  /** When it was created. */
  createdAt: string;
  /** When the chain had proven it. */
  confirmedAt?: string;
  /** The customer whom the payment names, else the oldest record of the paying wallet; null without one. */
  customer?: {
    /** The merchant's own keys and values, returned as they were given. */
    metadata?: Record<string, unknown> | null;
    /** Email address. */
    email?: string | null;
    /** Id, with a prefix that names the kind. */
    id: string;
    /** Address of the wallet. */
    walletAddress: string;
    /** Name that people read. */
    displayName: string | null;
    /** When it was created. */
    createdAt: string;
  } | null;
  /** Refunds of the payment, newest first. */
  refunds?: Array<Refund>;
  /** The transfers on the chain that count for it. */
  transfers?: Array<PaymentTransfers>;
  /** What happened, oldest first. */
  timeline?: Array<PaymentTimeline>;
}

export interface PaymentConfirm {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number | null;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Number of the chain. */
  chainId: number;
  /** Until when it holds. */
  expiresAt: string;
}

export interface PaymentPayer {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number | null;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Number of the chain. */
  chainId: number;
  /** Until when it holds. */
  expiresAt: string;
  /** Why the payment failed; null otherwise. */
  failureCode: string | null;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress: string | null;
}

export interface PaymentHandoff {
  /** Address that receives the events. */
  url: string;
  /** Until when it holds. */
  expiresAt: string;
}

export interface PaymentStatus {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Whether a test key made the payment. */
  isTest: boolean;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** The amount as an integer of the smallest unit of the currency. */
  baseAmount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Symbol of the currency. */
  symbol: string;
  /** Fraction digits of the currency. */
  decimals: number;
  /** Number of the chain. */
  chainId: number;
  /** Name of the chain. */
  chainName: string;
  /** Whether the chain's coins are worth nothing. */
  isTestnet: boolean;
  /** Public address of a node, for wallets that do not know the chain. */
  chainRpcUrl: string | null;
  /** Symbol of the chain's native coin. */
  chainSymbol: string;
  /** Fraction digits of the chain's native coin. */
  chainDecimals: number;
  /** The merchant's wallet, which receives the money. */
  recipientAddress: string;
  /** Text that the shopper reads. */
  description: string | null;
  /** Until when it holds. */
  expiresAt: string;
  /** The server's clock, for countdowns. */
  serverTime: string;
  /** How often the shopper may still ask for more time. */
  extensionsLeft: number;
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
  /** The transaction on a block explorer; null without one. */
  explorerTxUrl: string | null;
  /** What all transactions of the payment brought; null before any. */
  receivedAmount: string | null;
  /** What is still to be paid of an underpaid payment; null otherwise. */
  missingAmount: string | null;
  /** Why the payment failed; null otherwise. */
  failureCode: string | null;
  /** What its transaction needs besides the chain: `payer_signature`, a signature of the wallet that paid; `review`, a person who looks; null for nothing. */
  needs: "payer_signature" | "review" | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode: boolean;
  /** Text of the QR code (ERC-681). */
  paymentUri: string;
  /** The transaction as a wallet takes it. */
  transaction: {
    /** Address that the transaction goes to. */
    to: string;
    /** Amount of the native coin that goes with it, in hex. */
    value: string;
    /** Call data, in hex. */
    data: string;
  };
  /** Where the checkout page leads the shopper when the payment has ended. */
  returnUrl: string | null;
  /** Language of the checkout page. */
  locale: string | null;
  /** The merchant as the shopper sees it. */
  shop: {
    /** Name that people read. */
    displayName: string;
    /** Color of the shop, #RRGGBB. */
    primaryColor: string | null;
    /** light or dark; null for what the shopper's device prefers. */
    theme: "light" | "dark" | null;
    /** Where shoppers find help. */
    supportUrl: string | null;
    /** Address of the shop's logo. */
    logoUrl: string | null;
  };
}

export interface PaymentExplain {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Why the payment failed; null otherwise. */
  failureCode: string | null;
  /** The server's clock, for countdowns. */
  serverTime: string;
  /** What can be done about the payment now. */
  nextStep: {
    /** Kind of the next step. */
    action:
      | "none"
      | "wait"
      | "pay"
      | "pay_rest"
      | "pay_again"
      | "sign"
      | "assign"
      | "resolve"
      | "review";
    /** The same in words. */
    text: string;
  };
  /** The transactions that were submitted or found for it, the oldest first. */
  transactions: Array<PaymentExplainTransactions>;
}

export interface PaymentRefund {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** When it was refunded; null before. */
  refundedAt: string | null;
}

export interface PaymentItem {
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | null;
  /** Text that the shopper reads. */
  description?: string | null;
  /** The merchant's wallet, which receives the money. */
  recipientAddress?: string;
  /** The merchant's own reference. */
  orderId?: string | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean;
  /** Id of the merchant's customer. */
  customerId?: string | null;
  /** The wallet that the money comes from; only its transfers count. */
  payerAddress?: string | null;
  /** What all transactions of the payment brought; null before any. */
  receivedAmount?: string | null;
  /** Why the payment failed; null otherwise. */
  failureCode?: string | null;
  /** What its transaction needs besides the chain: `payer_signature`, a signature of the wallet that paid; `review`, a person who looks; null for nothing. */
  needs?: "payer_signature" | "review" | null;
  /** Until when it holds. */
  expiresAt?: string;
  /** When it was refunded; null before. */
  refundedAt?: string | null;
  /** Where the checkout page leads the shopper when the payment has ended. */
  returnUrl?: string | null;
  /** Language of the checkout page. */
  locale?: string | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** State; the guide lists what each means. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Number of the chain. */
  chainId?: number;
  /** When it was created. */
  createdAt: string;
  /** The customer whom the payment names, else the oldest record of the paying wallet; null without one. */
  customer?: {
    /** The merchant's own keys and values, returned as they were given. */
    metadata?: Record<string, unknown> | null;
    /** Email address. */
    email?: string | null;
    /** Id, with a prefix that names the kind. */
    id: string;
    /** Address of the wallet. */
    walletAddress: string;
    /** Name that people read. */
    displayName: string | null;
    /** When it was created. */
    createdAt: string;
  } | null;
  /** Refunds of the payment, newest first. */
  refunds?: Array<Refund>;
  /** The transfers on the chain that count for it. */
  transfers?: Array<PaymentTransfers>;
  /** What happened, oldest first. */
  timeline?: Array<PaymentTimeline>;
}

export interface PaymentTransfers {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** Place among the logs of its transaction; null for the native coin. */
  logIndex: number | null;
  /** Address that the money leaves, or the first moment of the list. */
  from: string;
  /** Address that gets the money or the call, or the last moment of the list. */
  to: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** When the chain had proven it. */
  confirmedAt: string | null;
}

export interface PaymentTimeline {
  /** What happened. */
  event:
    | "created"
    | "payer_declared"
    | "extended"
    | "transaction_submitted"
    | "transaction_refuted"
    | "confirmed"
    | "transaction_reorged"
    | "failed"
    | "expired"
    | "paid_late"
    | "late_accepted"
    | "late_rejected"
    | "surplus_received"
    | "refunded_in_part"
    | "refunded"
    | "surplus_refunded";
  /** The payment's status after it. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** When it happened. */
  at: string;
  /** Failure code of the step; null without one. */
  reason: string | null;
  /** Hash of the transaction; null before one is known. */
  txHash: string | null;
}

export interface PaymentExplainTransactions {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** Who named it: merchant, also where it was found besides; chain where it was found; otherwise shopper. */
  source: "merchant" | "shopper" | "chain";
  /** Whether it has a verdict, and which. */
  state: "waiting" | "confirmed" | "surplus" | "rejected" | "abandoned";
  /** Why it was rejected; null otherwise. */
  reason: string | null;
  /** The transaction that took its place and proved the payment; null otherwise. */
  provingTxHash: string | null;
  /** When it was submitted or found. */
  submittedAt: string;
  /** When a provider first showed it, pending or mined; null before. */
  firstSeenAt: string | null;
  /** When it was last looked for or verified; null before. */
  checkedAt: string | null;
  /** When it got its verdict; null before. */
  judgedAt: string | null;
  /** Block of the transaction when it was checked; null before one. */
  blockNumber: number | null;
  /** Highest block of the chain that was known when it was checked; null before. */
  chainHead: number | null;
  /** Providers that report the same transaction; null before they were compared. */
  providersAgreeing: number | null;
  /** Providers that report another one; null before they were compared. */
  providersContradicting: number | null;
  /** Every rule of a verdict, in the order in which they are applied. */
  rules: Array<PaymentExplainTransactionsRules>;
  /** What it moved to the recipient in the currency of the payment. */
  transfers: Array<PaymentExplainTransactionsTransfers>;
}

export interface PaymentExplainTransactionsRules {
  /** Which rule. */
  name:
    | "found"
    | "mined"
    | "settled"
    | "providers"
    | "claim"
    | "succeeded"
    | "recipient"
    | "currency"
    | "payer"
    | "not_before"
    | "not_after"
    | "unused"
    | "amount";
  /** How the transaction stands by the rule. */
  outcome: "passed" | "failed" | "waiting" | "not_applied" | "not_reached";
  /** The same in words. */
  text: string;
}

export interface PaymentExplainTransactionsTransfers {
  /** Hash of the transaction; null before one is known. */
  txHash: string;
  /** Place among the logs of its transaction; null for the native coin. */
  logIndex: number | null;
  /** Address that the money leaves, or the first moment of the list. */
  from: string;
  /** Address that gets the money or the call, or the last moment of the list. */
  to: string;
  /** Decimal string in the unit people use, e.g. 1.5. */
  amount: string;
  /** Block of the transaction; null before it is proven, or unproven when its time is over. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** When the chain had proven it. */
  confirmedAt: string | null;
  /** Hash of its block. */
  blockHash: string;
  /** Whether its block is final, may still leave the chain, or has left it. */
  state: "seen" | "final" | "orphaned";
  /** What the transfer pays: this payment, another one, or nothing. */
  pays: "this" | "other" | "nothing";
}
