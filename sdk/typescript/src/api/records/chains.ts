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

export interface ChainHealth {
  /** Chain id. */
  chainId: number;
  /** Name of the chain. */
  name: string;
  /** Highest block that a provider named; null before one did. */
  headBlock: number | null;
  /** Last block whose transfers are known; null before one. */
  followedBlock: number | null;
  /** Time since which a block may be missing; null before the first. */
  secondsBehind: number | null;
  /** False once it is more than 60 s and 5 blocks behind. */
  upToDate: boolean;
  /** What makes a block final: a depth, or a tag of the chain. */
  finality: "confirmations" | "safe" | "finalized";
  /** Blocks that a payment needs; null where the tag decides. */
  confirmations: number | null;
  /** Providers of the chain. */
  providers: {
    /** Those that answer at present. */
    answering: number;
    /** All of them. */
    configured: number;
  };
  /** Your addresses at which payments wait for money; at most 1000. */
  watchedAddresses: number;
  /** Tokens that can be paid with. */
  tokens: Array<ChainToken>;
}

export interface ChainToken {
  /** Whether payers can sign for a transfer whose gas the service pays. */
  gasless?: boolean;
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
