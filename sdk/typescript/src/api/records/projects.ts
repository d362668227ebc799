// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Project {
  /** Minutes until a payment expires that names no other time. */
  paymentLifetimeMinutes?: number;
  /** Further wallets of the merchant whose transactions count for refunds that are submitted from then on. */
  payoutWallets?: Array<string>;
  /** What becomes of a transfer that two open payments may be meant by, while no wallet has signed: `hold` waits for a signature, `first` lets the hash that came first win. */
  unsignedClaims?: "hold" | "first";
  /** The issuer that vouches for shoppers; null for none. */
  sso?: {
    /** Address of the trusted issuer of shoppers' tokens. */
    issuer: string;
    /** What the issuer puts into `aud` for this project. */
    audience: string;
    /** Where the issuer's keys are, where it has no discovery document. */
    jwksUrl: string | null;
  } | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Name that people read. */
  name: string;
  /** Where webhooks of the key's mode go; null for none. */
  callbackUrl: string | null;
  /** Origins whose pages may call with the publishable key; empty: all. */
  allowedOrigins: Array<string>;
  /** How the checkout page looks: color, theme, names and addresses. */
  brandingConfig: Record<string, unknown> | null;
}

export interface UpdatedProject {
  /** The secret of test mode's webhooks. Shown this once, when the address is first set. */
  webhookSecret?: string;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Name that people read. */
  name: string;
  /** Where webhooks of the key's mode go; null for none. */
  callbackUrl: string | null;
}

export interface CreatedProjectKey {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** secret or publishable. */
  type: "secret" | "publishable";
  /** live or test. */
  mode: "live" | "test";
  /** What a restricted key may do; empty: everything. */
  scopes: Array<string>;
  /** Name that people read. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** When it was created. */
  createdAt: string;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** When the key was last used, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Until when it holds. */
  expiresAt: string | null;
  /** When the key was revoked; null otherwise. */
  revokedAt: string | null;
  /** The key, shown this once. */
  key: string;
}

export interface ProjectKeyList {
  /** The items of this page. */
  data: Array<ProjectKeyItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface ProjectKeyRoll {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Kind. */
  type: "secret" | "publishable";
  /** live or test. */
  mode: "live" | "test";
  /** What a restricted key may do; empty: everything. */
  scopes: Array<string>;
  /** Name that people read. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** When it was created. */
  createdAt: string;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** When the key was last used, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Until when it holds. */
  expiresAt: string | null;
  /** When the key was revoked; null otherwise. */
  revokedAt: string | null;
  /** The key, shown this once. */
  key: string;
}

export interface ProjectKeyItem {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Kind. */
  type: "secret" | "publishable";
  /** live or test. */
  mode: "live" | "test";
  /** What a restricted key may do; empty: everything. */
  scopes: Array<string>;
  /** Name that people read. */
  name: string | null;
  /** First characters of the key. */
  prefix: string;
  /** Last four characters of the key. */
  last4: string;
  /** When it was created. */
  createdAt: string;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** When the key was last used, to about a minute; null for never. */
  lastUsedAt: string | null;
  /** Until when it holds. */
  expiresAt: string | null;
  /** When the key was revoked; null otherwise. */
  revokedAt: string | null;
}
