// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Chain {
  /** Number of the chain. */
  chainId: number;
  /** Name of the chain. */
  name: string;
  /** Symbol of the chain's native coin. */
  symbol: string;
  /** Public address of a node of the chain. */
  rpcUrl: string;
  /** Address of a block explorer of the chain. */
  blockExplorerUrl: string | null;
  /** Whether the chain's coins are worth nothing. */
  isTestnet: boolean;
}

export interface ChainToken {
  /** Symbol of the currency. */
  symbol: string;
  /** Name that people read. */
  name: string;
  /** Contract address of the token. */
  address: string;
  /** Fraction digits of the currency. */
  decimals: number;
  /** Number of the chain. */
  chainId: number;
}
