// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { AuthSessionRevoke, AuthSso } from "./records/auth.ts";

export interface AuthSsoBody {
  /** Token of the identity provider. It can be exchanged once. */
  token: string;
}

export interface AuthSessionsRevokeBody {
  /** The customer's `sub` in tokens of the issuer. */
  subject: string;
}

export interface Auth {
  /** Exchange a token of the project's identity provider for a customer session. */
  sso(body: AuthSsoBody, options?: CallOptions): Promise<Answer<AuthSso>>;
  readonly sessions: {
    /** End all sessions of a customer. */
    revoke(body: AuthSessionsRevokeBody, options?: CallOptions): Promise<Answer<AuthSessionRevoke>>;
  };
}
