// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface AuthSso {
  /** The shopper's session. */
  sessionToken: string;
  /** Until when it holds. */
  expiresAt: string;
}

export interface AuthSessionRevoke {
  /** How many sessions ended. */
  revoked: number;
}
