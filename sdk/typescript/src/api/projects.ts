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
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"paymentLifetimeMinutes" | "payoutWallets" | "unsignedClaims" | "sso"> | undefined;
}

export interface ProjectsUpdateBody {
  /** Name that people read. */
  name?: string | undefined;
  /** How the checkout page looks: color, theme, names and addresses. */
  branding?: {
    /** Color of the shop, #RRGGBB. */
    primaryColor?: string | undefined;
    /** Address of the shop's logo. */
    logoUrl?: string | undefined;
    /** Name that people read. */
    displayName?: string | undefined;
    /** light or dark; null for what the shopper's device prefers. */
    theme?: "light" | "dark" | undefined;
    /** Where shoppers find help. */
    supportUrl?: string | undefined;
  } | null;
  /** Origins whose pages may call with the publishable key; empty: all. */
  allowedOrigins?: Array<string> | undefined;
  /** Where webhooks of the key's mode go; null for none. */
  callbackUrl?: string | null | undefined;
  /** Minutes until a payment expires that names no other time. */
  paymentLifetimeMinutes?: number | undefined;
  /** Further wallets of the merchant whose transactions count for refunds that are submitted from then on. */
  payoutWallets?: Array<string> | undefined;
  /** What becomes of a transfer that two open payments may be meant by, while no wallet has signed: `hold` waits for a signature, `first` lets the hash that came first win. */
  unsignedClaims?: "hold" | "first" | undefined;
  /** The issuer that vouches for shoppers; null for none. */
  sso?: {
    /** Address of the trusted issuer of shoppers' tokens. */
    issuer: string | undefined;
    /** What the issuer puts into `aud` for this project. */
    audience: string;
    /** Where the issuer's keys are, where it has no discovery document. */
    jwksUrl?: string | null | undefined;
  } | null;
}

export interface ProjectsKeysCreateBody {
  /** secret or publishable. */
  type: "secret" | "publishable";
  /** live or test. */
  mode: "live" | "test";
  /** What a restricted key may do; empty: everything. */
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
      >
    | undefined;
  /** Name that people read. */
  name?: string | undefined;
}

export interface ProjectsKeysListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
}

export interface ProjectsKeysRollBody {
  /** How long the old key still works. */
  graceSeconds?: number | undefined;
}

export interface Projects {
  /** Read the calling project. */
  get(query?: ProjectsGetQuery, options?: CallOptions): Promise<Answer<Project>>;
  /** Change the calling project; absent fields stay. */
  update(body: ProjectsUpdateBody, options?: CallOptions): Promise<Answer<UpdatedProject>>;
  readonly keys: {
    /** Make a key; it is shown this once. */
    create(body: ProjectsKeysCreateBody, options?: CallOptions): Promise<Answer<CreatedProjectKey>>;
    /** List the project's keys, newest first. */
    list(
      query?: ProjectsKeysListQuery,
      options?: CallOptions,
    ): Pages<ProjectKeyList["data"][number], ProjectKeyList>;
    /** Revoke a key at once. */
    delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
    /** Replace a key; the old one works until the end of the grace. */
    roll(
      id: string,
      body: ProjectsKeysRollBody,
      options?: CallOptions,
    ): Promise<Answer<ProjectKeyRoll>>;
  };
}
