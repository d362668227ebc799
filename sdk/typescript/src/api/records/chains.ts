// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Chain {
  /** Chain id. */
  chainId: number;
  /** Name of the chain. */
  name: string;
  /** Symbol of the chain's native coin. */
  symbol: string;
  /** Public RPC URL of the chain. */
  rpcUrl: string;
  /** Block explorer of the chain; null without one. */
  blockExplorerUrl: string | null;
  /** Whether the chain is a test network. */
  isTestnet: boolean;
}

export interface ChainToken {
  /** Symbol of the token. */
  symbol: string;
  /** Name of the token. */
  name: string;
  /** Contract address of the token. */
  address: string;
  /** Decimals of the token. */
  decimals: number;
  /** Chain id. */
  chainId: number;
}
