/** Which OpenID Connect issuer a project trusts to name its shoppers. */
export interface SsoSettings {
  /** Compared character by character with the issuer in a token, so it is stored as it was written. */
  issuer: string;
  /** The name under which the issuer addresses tokens to this project. */
  audience: string;
  /** Where the issuer's keys are; null: where its discovery document says. */
  jwksUrl: string | null;
}
