// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Customer } from "./customers.ts";
import type { Refund } from "./refunds.ts";

export interface CreatedPayment {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** The customer's credential for this payment alone. Returned once. */
  clientSecret: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Chain id. */
  chainId: number;
  /** Your wallet, which receives the money. */
  recipientAddress: string;
  /** Text that the customer reads. */
  description?: string | null;
  /** Time of expiry. */
  expiresAt: string;
  /** Time of creation. */
  createdAt: string;
  /** Link to the checkout page. The client secret is in its fragment. */
  checkoutUrl?: string;
  /** Your own reference. */
  orderId?: string | null;
}

export interface PaymentList {
  /** Items of this page. */
  data: Array<PaymentItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface Payment {
  /** Chain id. */
  chainId: number;
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null;
  /** Text that the customer reads. */
  description?: string | null;
  /** Your wallet, which receives the money. */
  recipientAddress?: string;
  /** Address to pay: the payment's deposit address, else your wallet. */
  payTo?: string;
  /** Your own reference. */
  orderId?: string | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean;
  /** Id of the customer. */
  customerId?: string | null;
  /** The customer's wallet: declared, or the one that has signed; null without one. */
  payerAddress?: string | null;
  /** Amount that has arrived for the payment, in time and late; null before any. */
  receivedAmount?: string | null;
  /** Final amounts by sending wallet, the largest first; at most ten. */
  receivedBySender?: Array<{
    /** Wallet that sent the money. */
    address: string;
    /** Amount in whole units of the currency, as a decimal string. */
    amount: string;
  }>;
  /** Sum of the completed refunds; null before any. */
  refundedAmount?: string | null;
  /** Reason of the failure; null unless the payment failed. */
  failureCode?: string | null;
  /** `payer_signature`: the paying wallet must sign; `review`: you must review the transaction; null: nothing. */
  needs?: "payer_signature" | "review" | null;
  /** Wallets that your screening has named for the payment: their money confirms it only once you accept it. */
  screened?: Array<{
    /** Wallet that pays, or wants to. */
    address: string;
    /** What named it; `unanswered`: nothing answered in time. */
    cause: "oracle" | "list" | "url" | "unanswered";
  }>;
  /** Time of expiry. */
  expiresAt?: string;
  /** Time of the refund; null before it. */
  refundedAt?: string | null;
  /** Link of the checkout page back to your shop, shown when the payment has ended. */
  returnUrl?: string | null;
  /** Link of the checkout page back to your shop, shown while nothing is paid. */
  cancelUrl?: string | null;
  /** What the checkout page shows beside the amount; never converted. */
  displayAmount?: {
    /** Amount in whole units, as a decimal string. */
    amount: string;
    /** Currency code of ISO 4217. */
    currency: string;
  } | null;
  /** Language of the checkout page. */
  locale?: string | null;
  /** What created the payment: a key by the `api`, or a person in the `dashboard`. */
  source?: "api" | "dashboard";
  /** Id of the key or member that requested it; null where nobody did. */
  requestedBy?: string | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Transaction hash; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null until the transaction is verified. */
  blockNumber: number | null;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Time of creation. */
  createdAt: string;
  /** Time of the confirmation. */
  confirmedAt?: string;
  /** The payment's customer, else the oldest customer with the paying wallet; null without one. */
  customer?: Customer | null;
  /** Refunds of the payment, newest first. */
  refunds?: Array<Refund>;
  /** Transfers on the chain that count for the payment. */
  transfers?: Array<PaymentTransfers>;
  /** Rule by which each of these transfers counts for the payment. */
  attribution?: Array<PaymentAttribution>;
  /** Steps of the payment, oldest first. */
  timeline?: Array<PaymentTimeline>;
  /** Link to the checkout page, with the client secret in its fragment; null once the secret has expired. */
  checkoutUrl?: string | null;
}

export interface PaymentConfirm {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Transaction hash; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null until the transaction is verified. */
  blockNumber: number | null;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Chain id. */
  chainId: number;
  /** Time of expiry. */
  expiresAt: string;
}

export interface PaymentPayer {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Transaction hash; null before one is known. */
  txHash: string | null;
  /** Block of the transaction; null until the transaction is verified. */
  blockNumber: number | null;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Chain id. */
  chainId: number;
  /** Time of expiry. */
  expiresAt: string;
  /** Reason of the failure; null unless the payment failed. */
  failureCode: string | null;
  /** The customer's wallet: declared, or the one that has signed; null without one. */
  payerAddress: string | null;
}

export interface SubmittedAuthorization {
  /** State of the authorization; `cancelled`, `expired` and `failed` were never spent. */
  status: "received" | "sent" | "used" | "cancelled" | "expired" | "failed";
  /** Transaction that spends it; null before one is sent. */
  txHash: string | null;
}

export interface PaymentHandoff {
  /** Link that opens the checkout page once in another browser. */
  url: string;
  /** Time of expiry. */
  expiresAt: string;
}

export interface PaymentStatus {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Whether the payment was created with a test key. */
  isTest: boolean;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Amount in the smallest unit of the currency, as an integer string. */
  baseAmount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Symbol of the currency. */
  symbol: string;
  /** Decimals of the currency. */
  decimals: number;
  /** Chain id. */
  chainId: number;
  /** Name of the chain. */
  chainName: string;
  /** Whether the chain is a test network. */
  isTestnet: boolean;
  /** Public RPC URL, for wallets that do not have the chain yet. */
  chainRpcUrl: string | null;
  /** Symbol of the chain's native coin. */
  chainSymbol: string;
  /** Decimals of the chain's native coin. */
  chainDecimals: number;
  /** Your wallet, which receives the money. */
  recipientAddress: string;
  /** Address to pay: the payment's deposit address, else your wallet. */
  payTo: string;
  /** Text that the customer reads. */
  description: string | null;
  /** Time of expiry. */
  expiresAt: string;
  /** Time of the server, for countdowns. */
  serverTime: string;
  /** Number of times that the time limit can still be extended. */
  extensionsLeft: number;
  /** Transaction hash; null before one is known. */
  txHash: string | null;
  /** Link to the transaction on a block explorer; null without one. */
  explorerTxUrl: string | null;
  /** Amount that has arrived for the payment, in time and late; null before any. */
  receivedAmount: string | null;
  /** Amount that has not arrived, once a part has; null before any, and where enough has arrived. */
  missingAmount: string | null;
  /** Blocks from the last transfer to the head of the chain, both counted, while the payment is processing; null before a block and afterwards. */
  confirmations: number | null;
  /** Confirmations that make the payment final; null where the chain's tag `safe` or `finalized` decides. */
  confirmationsNeeded: number | null;
  /** Estimated seconds until the payment is final, while it is processing and needs nothing; null otherwise, and where no estimate is possible. */
  estimatedSeconds: number | null;
  /** Transfers that may be meant for this payment or for another one: the paying wallet signs, or you assign them. */
  arrived: Array<{
    /** Amount in whole units of the currency, as a decimal string. */
    amount: string;
    /** Time of its block. */
    at: string;
  }>;
  /** Refunds of the payment, newest first, once one has been completed. */
  refunds: Array<{
    /** Amount in whole units of the currency, as a decimal string. */
    amount: string;
    /** Transaction hash; null before one is known. */
    txHash: string | null;
    /** Link to the transaction on a block explorer; null without one. */
    explorerTxUrl: string | null;
    /** Time of its completion, or of its creation before. */
    at: string;
    /** Status of the refund. */
    status: "created" | "completed" | "failed";
  }>;
  /** Reason of the failure; null unless the payment failed. */
  failureCode: string | null;
  /** `payer_signature`: the paying wallet must sign; `review`: you must review the transaction; null: nothing. */
  needs: "payer_signature" | "review" | null;
  /** Text for the payer's wallet to sign as `signature`; null once the payment is confirmed. */
  payerMessage: string | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode: boolean;
  /** Content of the QR code (ERC-681) for what is still to pay; null once nothing can be paid any more. */
  paymentUri: string | null;
  /** Amount that is still to pay, in the smallest unit; null once nothing can be paid any more. */
  dueBaseAmount: string | null;
  /** Unsigned transaction for the wallet; null once nothing can be paid any more. */
  transaction: {
    /** Recipient of the transaction or call. */
    to: string;
    /** Amount of the native coin, in hex. */
    value: string;
    /** Call data, in hex. The last 44 bytes name the payment, unless they are left off. */
    data: string;
  } | null;
  /** Payment by signature (EIP-3009), whose gas the service pays; null where it is not possible. */
  authorization: {
    /** State of the last one that was submitted; null before any. */
    state: "received" | "sent" | "used" | "cancelled" | "expired" | "failed" | null;
    /** Transaction that spends it; null before one is sent. */
    txHash: string | null;
    /** Typed data (EIP-712) to sign, with the wallet as `message.from`; null while one may still be spent. */
    typedData: Record<string, unknown> | null;
  } | null;
  /** URL at which clients of x402 pay, with a ticket in it; null where `authorization` is not possible. */
  x402Url: string | null;
  /** Link of the checkout page back to your shop, shown when the payment has ended. */
  returnUrl: string | null;
  /** Link of the checkout page back to your shop, shown while nothing is paid. */
  cancelUrl: string | null;
  /** What the checkout page shows beside the amount; never converted. */
  displayAmount: {
    /** Amount in whole units, as a decimal string. */
    amount: string;
    /** Currency code of ISO 4217. */
    currency: string;
  } | null;
  /** Language of the checkout page. */
  locale: string | null;
  /** Your shop as the customer sees it. */
  shop: {
    /** Name of the shop. */
    displayName: string;
    /** Color of the shop, #RRGGBB. */
    primaryColor: string | null;
    /** `light` or `dark`; null for the preference of the customer's device. */
    theme: "light" | "dark" | null;
    /** URL of the shop's support page. */
    supportUrl: string | null;
    /** URL of the shop's logo. */
    logoUrl: string | null;
  };
}

export interface PaymentExplain {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status of the payment; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Reason of the failure; null unless the payment failed. */
  failureCode: string | null;
  /** Amount that has arrived for the payment, in time and late; null before any. */
  receivedAmount: string | null;
  /** Time of the server, for countdowns. */
  serverTime: string;
  /** The next step for this payment. */
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
      | "refund"
      | "review";
    /** The same as a sentence. */
    text: string;
  };
  /** What you can do about the payment now, with the reason where it is not allowed. */
  actions: Array<PaymentAction>;
  /** Transactions that were submitted or found for the payment, oldest first. */
  transactions: Array<PaymentExplainTransactions>;
}

export interface PaymentSweep {
  /** Chain id. */
  chainId: number;
  /** Contract that moves the money. Any wallet may call it. */
  to: string;
  /** Amount of the native coin, in hex. */
  value: string;
  /** Call data, in hex. */
  data: string;
  /** Gas limit, in hex. An estimate may be too low. */
  gas: string;
}

export interface PaymentRecheck {
  /** Chain id. */
  chainId: number;
  /** Deposit address of the payment. */
  payTo: string;
  /** What is there and not swept, however it came. */
  deposits: Array<{
    /** `native` for the chain's coin, or the contract address of a listed token. */
    currency: string;
    /** Amount in whole units of the currency, as a decimal string. */
    amount: string;
  }>;
}

export interface PaymentRefund {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Time of the refund; null before it. */
  refundedAt: string | null;
}

export interface PaymentItem {
  /** Chain id. */
  chainId?: number;
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null;
  /** Text that the customer reads. */
  description?: string | null;
  /** Your wallet, which receives the money. */
  recipientAddress?: string;
  /** Address to pay: the payment's deposit address, else your wallet. */
  payTo?: string;
  /** Your own reference. */
  orderId?: string | null;
  /** Whether the checkout page shows the QR code first. */
  qrMode?: boolean;
  /** Id of the customer. */
  customerId?: string | null;
  /** The customer's wallet: declared, or the one that has signed; null without one. */
  payerAddress?: string | null;
  /** Amount that has arrived for the payment, in time and late; null before any. */
  receivedAmount?: string | null;
  /** Final amounts by sending wallet, the largest first; at most ten. */
  receivedBySender?: Array<{
    /** Wallet that sent the money. */
    address: string;
    /** Amount in whole units of the currency, as a decimal string. */
    amount: string;
  }>;
  /** Sum of the completed refunds; null before any. */
  refundedAmount?: string | null;
  /** Reason of the failure; null unless the payment failed. */
  failureCode?: string | null;
  /** `payer_signature`: the paying wallet must sign; `review`: you must review the transaction; null: nothing. */
  needs?: "payer_signature" | "review" | null;
  /** Wallets that your screening has named for the payment: their money confirms it only once you accept it. */
  screened?: Array<{
    /** Wallet that pays, or wants to. */
    address: string;
    /** What named it; `unanswered`: nothing answered in time. */
    cause: "oracle" | "list" | "url" | "unanswered";
  }>;
  /** Time of expiry. */
  expiresAt?: string;
  /** Time of the refund; null before it. */
  refundedAt?: string | null;
  /** Link of the checkout page back to your shop, shown when the payment has ended. */
  returnUrl?: string | null;
  /** Link of the checkout page back to your shop, shown while nothing is paid. */
  cancelUrl?: string | null;
  /** What the checkout page shows beside the amount; never converted. */
  displayAmount?: {
    /** Amount in whole units, as a decimal string. */
    amount: string;
    /** Currency code of ISO 4217. */
    currency: string;
  } | null;
  /** Language of the checkout page. */
  locale?: string | null;
  /** What created the payment: a key by the `api`, or a person in the `dashboard`. */
  source?: "api" | "dashboard";
  /** Id of the key or member that requested it; null where nobody did. */
  requestedBy?: string | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Status; the guide explains each value. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Time of creation. */
  createdAt: string;
  /** The payment's customer, else the oldest customer with the paying wallet; null without one. */
  customer?: Customer | null;
  /** Refunds of the payment, newest first. */
  refunds?: Array<Refund>;
  /** Transfers on the chain that count for the payment. */
  transfers?: Array<PaymentTransfers>;
  /** Rule by which each of these transfers counts for the payment. */
  attribution?: Array<PaymentAttribution>;
  /** Steps of the payment, oldest first. */
  timeline?: Array<PaymentTimeline>;
  /** Link to the checkout page, with the client secret in its fragment; null once the secret has expired. */
  checkoutUrl?: string | null;
}

export interface PaymentTransfers {
  /** Transaction hash. */
  txHash: string;
  /** Index of the log within its transaction; null for the native coin. */
  logIndex: number | null;
  /** Wallet that the money left. */
  from: string;
  /** Wallet that received the money. */
  to: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Block of the transaction. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** Time at which the transfer was proven; null before. */
  confirmedAt: string | null;
}

export interface PaymentAttribution {
  /** Transaction hash. */
  txHash: string;
  /** Index of the log within its transaction; null for the native coin. */
  logIndex: number | null;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** `reference`: its call names it; `address`: it was sent to its deposit address; `merchant`: you assigned it; `signature`: its wallet signed; `lone`: it fits no other payment; `group`: as many transfers came as payments are due. */
  rule: "reference" | "authorization" | "address" | "merchant" | "signature" | "lone" | "group";
}

export interface PaymentTimeline {
  /** Name of the step. */
  event:
    | "created"
    | "payer_declared"
    | "extended"
    | "transaction_submitted"
    | "transaction_refuted"
    | "part_received"
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
    | "surplus_refunded"
    | "refund_undone"
    | "screened";
  /** Status of the payment after the step. */
  status: "created" | "pending" | "processing" | "confirmed" | "failed" | "expired" | "refunded";
  /** Time of the step. */
  at: string;
  /** Failure code of the step; null without one. */
  reason: string | null;
  /** Id of the key or member that made the step; null for others. */
  madeBy: string | null;
  /** Transaction hash; null before one is known. */
  txHash: string | null;
}

export interface PaymentAction {
  /** Name of the action. */
  name: "accept" | "reject" | "submit_transaction" | "cancel" | "refund";
  /** Whether it would be done now. */
  allowed: boolean;
  /** Why it would be rejected; null where it is allowed. */
  why: string | null;
  /** Scope that it needs. */
  needs: string;
}

export interface PaymentExplainTransactions {
  /** Transaction hash. */
  txHash: string;
  /** Origin of the hash: `merchant`, `shopper` (the customer), or `chain` where it was found on the chain. */
  source: "merchant" | "shopper" | "chain";
  /** State of the verdict. */
  state: "waiting" | "confirmed" | "rejected" | "abandoned";
  /** Reason of the rejection; null otherwise. */
  reason: string | null;
  /** Transaction that replaced it and paid; null otherwise. */
  provingTxHash: string | null;
  /** Time at which it was submitted or found. */
  submittedAt: string;
  /** Time at which a provider first returned it, pending or mined; null before. */
  firstSeenAt: string | null;
  /** Time of the last check; null before it. */
  checkedAt: string | null;
  /** Time of the verdict; null before it. */
  judgedAt: string | null;
  /** Block of the transaction when it was checked; null without one. */
  blockNumber: number | null;
  /** Highest block of the chain when the transaction was checked; null before. */
  chainHead: number | null;
  /** Number of providers that return the same transaction; null before the comparison. */
  providersAgreeing: number | null;
  /** Number of providers that return another transaction; null before the comparison. */
  providersContradicting: number | null;
  /** Rules of the verdict, in their order of application. */
  rules: Array<PaymentExplainTransactionsRules>;
  /** Transfers to the recipient in the currency of the payment. */
  transfers: Array<PaymentExplainTransactionsTransfers>;
}

export interface PaymentExplainTransactionsRules {
  /** Name of the rule. */
  name:
    | "found"
    | "mined"
    | "settled"
    | "providers"
    | "succeeded"
    | "recipient"
    | "currency"
    | "not_before"
    | "not_after"
    | "unused"
    | "attribution"
    | "amount";
  /** Outcome of the rule. */
  outcome: "passed" | "failed" | "waiting" | "not_applied" | "not_reached";
  /** The outcome as a sentence. */
  text: string;
}

export interface PaymentExplainTransactionsTransfers {
  /** Transaction hash. */
  txHash: string;
  /** Index of the log within its transaction; null for the native coin. */
  logIndex: number | null;
  /** Wallet that the money left. */
  from: string;
  /** Wallet that received the money. */
  to: string;
  /** Amount in whole units of the currency, as a decimal string. */
  amount: string;
  /** Block of the transaction. */
  blockNumber: number;
  /** Time of its block. */
  minedAt: string;
  /** Time at which the transfer was proven; null before. */
  confirmedAt: string | null;
  /** Hash of its block. */
  blockHash: string;
  /** Whether its block is seen, final, or orphaned. */
  state: "seen" | "final" | "orphaned";
  /** What the transfer counts for: this payment, another one, or nothing. */
  pays: "this" | "other" | "nothing";
  /** Rule by which it counts for this payment; null where it does not. */
  rule:
    | "reference"
    | "authorization"
    | "address"
    | "merchant"
    | "signature"
    | "lone"
    | "group"
    | null;
  /** Reason why it counts for nothing; null where it counts. */
  reason:
    | "several_fit"
    | "more_than_due"
    | "own_wallet"
    | "held"
    | "dust"
    | "late"
    | "no_payment"
    | "named_elsewhere"
    | "unknown_reference"
    | "wrong_currency"
    | "payout"
    | "sweep"
    | null;
}
