// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Project {
  /** Default number of minutes until a payment expires. */
  paymentLifetimeMinutes?: number;
  /** Further wallets of yours whose transactions count for refunds that are submitted from then on. */
  payoutWallets?: Array<string>;
  /** Your wallet on each chain, for payments without recipientAddress. */
  wallets?: Array<{
    /** Chain id. */
    chainId: number;
    /** Your wallet. */
    address: string;
  }>;
  /** A change of wallets that waits; null for none. */
  pendingWallets?: {
    /** Wallets that replace the present ones. */
    wallets: Array<{
      /** Chain id. */
      chainId: number;
      /** Your wallet. */
      address: string;
    }>;
    /** Time from which they do. */
    usableAt: string;
  } | null;
  /** `match`: a transfer that no wallet has signed for is taken for the payment that alone fits it; `hold`: it waits for a signature or for you. Applies to payments that are created from then on. */
  unnamedTransfers?: "match" | "hold";
  /** Whether the transactions that wallets get name their payment, in their data. */
  reference?: boolean;
  /** Whether each payment gets a deposit address, which can only pay its recipientAddress. */
  depositAddresses?: boolean;
  /** What says from which wallets you take no money unseen; null for nothing. */
  screening?: {
    /** Contract on the chain of each payment. */
    oracle?: string;
    /** Wallets. */
    list?: Array<string>;
    /** URL of your server. */
    url?: string;
    /** What becomes of a payment where nothing answers in time. */
    onFail: "review" | "allow";
  } | null;
  /** Shape of new payments and of lists; null where each request chooses it. */
  variant?: "primary" | "b" | null;
  /** Identity provider that authenticates customers; null for none. */
  sso?: {
    /** URL of the trusted identity provider. */
    issuer: string;
    /** Value of `aud` in tokens for this project. */
    audience: string;
    /** URL of the issuer's keys, for an issuer without a discovery document. */
    jwksUrl: string | null;
  } | null;
  /** Who is told of new needs. */
  notices?: Array<{
    /** URL that gets a POST; null for an e-mail address. */
    url: string | null;
    /** E-mail address of a member; null for a URL. */
    email: string | null;
    /** Kinds of needs; none for all. */
    kinds: Array<string>;
  }>;
  /** URL of the logo as the checkout page shows it; null where it shows none. */
  logoUrl?: string | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Name of the project. */
  name: string;
  /** URL that receives the webhooks of the key's mode; null for none. */
  callbackUrl: string | null;
  /** Origins whose pages may call with the publishable key; an empty list allows all. */
  allowedOrigins: Array<string>;
  /** Design of the checkout page: color, theme, names and addresses. */
  brandingConfig: Record<string, unknown> | null;
}

export interface UpdatedProject {
  /** Secret of the webhooks of test mode. Returned once, when the URL is first set. */
  webhookSecret?: string;
  /** Your wallet on each chain, for payments without recipientAddress. */
  wallets?: Array<{
    /** Chain id. */
    chainId: number;
    /** Your wallet. */
    address: string;
  }>;
  /** A change of wallets that waits; null for none. */
  pendingWallets?: {
    /** Wallets that replace the present ones. */
    wallets: Array<{
      /** Chain id. */
      chainId: number;
      /** Your wallet. */
      address: string;
    }>;
    /** Time from which they do. */
    usableAt: string;
  } | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Name of the project. */
  name: string;
  /** URL that receives the webhooks of the key's mode; null for none. */
  callbackUrl: string | null;
}

export interface CreatedProjectKey {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** `secret` or `publishable`. */
  type: "secret" | "publishable";
  /** `live` or `test`. */
  mode: "live" | "test";
  /** Scopes of a restricted key; an empty list for an unrestricted key. */
  scopes: Array<string>;
  /** Name of the key; null without one. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** Time of creation. */
  createdAt: string;
  /** Id of the key or member that created it, or `operator`. */
  createdBy: string;
  /** Time of the last use, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Time at which the key stops working; null for never. */
  expiresAt: string | null;
  /** Addresses and ranges that may use the key; an empty list means all. */
  allowedAddresses: Array<string>;
  /** Time of the revocation; null before it. */
  revokedAt: string | null;
  /** The API key. Returned once. */
  key: string;
}

export interface ProjectKeyList {
  /** Items of this page. */
  data: Array<ProjectKeyItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface ProjectKeyRoll {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** `secret` or `publishable`. */
  type: "secret" | "publishable";
  /** `live` or `test`. */
  mode: "live" | "test";
  /** Scopes of a restricted key; an empty list for an unrestricted key. */
  scopes: Array<string>;
  /** Name of the key; null without one. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** Time of creation. */
  createdAt: string;
  /** Id of the key or member that created it, or `operator`. */
  createdBy: string;
  /** Time of the last use, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Time at which the key stops working; null for never. */
  expiresAt: string | null;
  /** Addresses and ranges that may use the key; an empty list means all. */
  allowedAddresses: Array<string>;
  /** Time of the revocation; null before it. */
  revokedAt: string | null;
  /** The API key. Returned once. */
  key: string;
}

export interface ProjectKeyItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** `secret` or `publishable`. */
  type: "secret" | "publishable";
  /** `live` or `test`. */
  mode: "live" | "test";
  /** Scopes of a restricted key; an empty list for an unrestricted key. */
  scopes: Array<string>;
  /** Name of the key; null without one. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** Time of creation. */
  createdAt: string;
  /** Id of the key or member that created it, or `operator`. */
  createdBy: string;
  /** Time of the last use, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Time at which the key stops working; null for never. */
  expiresAt: string | null;
  /** Addresses and ranges that may use the key; an empty list means all. */
  allowedAddresses: Array<string>;
  /** Time of the revocation; null before it. */
  revokedAt: string | null;
}
