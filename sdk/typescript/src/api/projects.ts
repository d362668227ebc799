// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Deleted } from "./records/customers.ts";
import type {
  CreatedProjectKey,
  Project,
  ProjectKeyList,
  ProjectKeyRoll,
  UpdatedProject,
} from "./records/projects.ts";

export interface ProjectsGetQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?:
    | Array<
        | "paymentLifetimeMinutes"
        | "payoutWallets"
        | "wallets"
        | "pendingWallets"
        | "unnamedTransfers"
        | "reference"
        | "depositAddresses"
        | "screening"
        | "variant"
        | "sso"
        | "notices"
        | "logoUrl"
      >
    | undefined;
}

export interface ProjectsUpdateBody {
  /** Name of the project. */
  name?: string | undefined;
  /** Design of the checkout page: color, theme, names and addresses; null for none. */
  branding?: {
    /** Color of the shop, #RRGGBB. */
    primaryColor?: string | null | undefined;
    /** URL of the shop's logo. */
    logoUrl?: string | null | undefined;
    /** Name of the shop. */
    displayName?: string | null | undefined;
    /** `light` or `dark`; without it the preference of the customer's device. */
    theme?: "light" | "dark" | null | undefined;
    /** URL of the shop's support page. */
    supportUrl?: string | null | undefined;
  } | null;
  /** The same as branding, under its name in responses. */
  brandingConfig?: {
    /** Color of the shop, #RRGGBB. */
    primaryColor?: string | null | undefined;
    /** URL of the shop's logo. */
    logoUrl?: string | null | undefined;
    /** Name of the shop. */
    displayName?: string | null | undefined;
    /** `light` or `dark`; without it the preference of the customer's device. */
    theme?: "light" | "dark" | null | undefined;
    /** URL of the shop's support page. */
    supportUrl?: string | null | undefined;
  } | null;
  /** Shape of new payments and of lists; null where each request chooses it. */
  variant?: "primary" | "b" | null | undefined;
  /** Origins whose pages may call with the publishable key; none or null allows all. */
  allowedOrigins?: Array<string> | null | undefined;
  /** URL that receives the webhooks of the key's mode; null for none. */
  callbackUrl?: string | null | undefined;
  /** Default number of minutes until a payment expires. */
  paymentLifetimeMinutes?: number | undefined;
  /** Further wallets of yours whose transactions count for refunds that are submitted from then on. */
  payoutWallets?: Array<string> | null | undefined;
  /** Your wallet on each chain, for payments without recipientAddress; null for none. A change waits. */
  wallets?: Array<{
    /** Chain id. */
    chainId: number | undefined;
    /** Your wallet on this chain. */
    address: string;
  }> | null;
  /** `match`: a transfer that no wallet has signed for is taken for the payment that alone fits it; `hold`: it waits for a signature or for you. Applies to payments that are created from then on. */
  unnamedTransfers?: "match" | "hold" | null | undefined;
  /** Whether the transactions that wallets get name their payment, in their data. */
  reference?: boolean | undefined;
  /** Whether payments created from then on get a deposit address each, which can only pay recipientAddress. */
  depositAddresses?: boolean | undefined;
  /** Who is told of new needs, at most hourly; null for nobody. */
  notices?: Array<{
    /** URL that gets a POST with ids and kinds, without a signature. */
    url?: string | undefined;
    /** E-mail address of a member. */
    email?: string | undefined;
    /** Kinds of needs; none for all. */
    kinds?: Array<string> | undefined;
  }> | null;
  /** What says from which wallets you take no money unseen; null for nothing. */
  screening?: {
    /** Contract with `isSanctioned(address)` on the chain of each payment. */
    oracle?: string | undefined;
    /** Wallets. */
    list?: Array<string> | undefined;
    /** URL of your server, which gets a POST for each wallet and answers `flagged`. */
    url?: string | undefined;
    /** What becomes of a payment where nothing answers in time; `review` by default. */
    onFail?: "review" | "allow" | undefined;
  } | null;
  /** Identity provider that authenticates customers; null for none. */
  sso?: {
    /** URL of the trusted identity provider. */
    issuer: string | undefined;
    /** Value of `aud` in tokens for this project. */
    audience: string;
    /** URL of the issuer's keys, for an issuer without a discovery document. */
    jwksUrl?: string | null | undefined;
  } | null;
}

export interface ProjectsKeysCreateBody {
  /** `secret` or `publishable`. */
  type: "secret" | "publishable";
  /** `live` or `test`. */
  mode: "live" | "test";
  /** Scopes of a restricted key; an empty list for an unrestricted key. */
  scopes?:
    | Array<
        | "payments:read"
        | "payments:write"
        | "customers:read"
        | "customers:write"
        | "refunds:read"
        | "refunds:write"
        | "settlements:read"
        | "settlements:write"
        | "settlements:approve"
        | "statements:read"
        | "projects:read"
        | "projects:write"
        | "webhooks:read"
        | "webhooks:write"
        | "sessions:write"
        | "keys:read"
        | "keys:write"
        | "audit:read"
        | "members:read"
        | "members:write"
        | "logs:read"
      >
    | null
    | undefined;
  /** Name of the key. */
  name?: string | null | undefined;
  /** Addresses and ranges from which a secret key may be used; absent for all. */
  allowedAddresses?: Array<string> | null | undefined;
  /** Time at which the key stops working; absent for never. */
  expiresAt?: string | null | undefined;
}

export interface ProjectsKeysListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** `secret` or `publishable`. */
  type?: "secret" | "publishable" | undefined;
  /** `active`, `expired` or `revoked`. */
  state?: "active" | "expired" | "revoked" | undefined;
}

export interface ProjectsKeysRollBody {
  /** Seconds for which the old key still works. */
  graceSeconds?: number | null | undefined;
}

export interface Projects {
  /** Read the calling project. */
  get(query?: ProjectsGetQuery, options?: CallOptions): Promise<Answer<Project>>;
  /** Change the calling project; absent fields stay. */
  update(body: ProjectsUpdateBody, options?: CallOptions): Promise<Answer<UpdatedProject>>;
  readonly keys: {
    /** Create a key; it is returned once. */
    create(body: ProjectsKeysCreateBody, options?: CallOptions): Promise<Answer<CreatedProjectKey>>;
    /** List the project's keys, newest first; in test mode those of test mode. */
    list(
      query?: ProjectsKeysListQuery,
      options?: CallOptions,
    ): Pages<ProjectKeyList["data"][number], ProjectKeyList>;
    /** Revoke a key. */
    delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
    /** Roll a key; the old key works until the end of the grace period. */
    roll(
      id: string,
      body: ProjectsKeysRollBody,
      options?: CallOptions,
    ): Promise<Answer<ProjectKeyRoll>>;
  };
}
