// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface AuthSso {
  /** Token of the customer's session. */
  sessionToken: string;
  /** Time at which the session ends. */
  expiresAt: string;
}

export interface AuthSessionRevoke {
  /** Number of sessions that ended. */
  revoked: number;
}
