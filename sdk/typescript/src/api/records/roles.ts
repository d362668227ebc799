// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Role {
  /** Name of the role. */
  name: string;
  /** Whether every project has the role. */
  builtIn: boolean;
  /** Scopes in live mode. */
  liveScopes: Array<string>;
  /** Scopes in test mode. */
  testScopes: Array<string>;
}
