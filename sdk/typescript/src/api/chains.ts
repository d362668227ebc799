// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { Chain, ChainHealth, ChainToken } from "./records/chains.ts";

export interface ChainsTokensListQuery {
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"gasless"> | undefined;
}

export interface Chains {
  /** List the supported chains. */
  list(options?: CallOptions): Promise<Answer<Array<Chain>>>;
  /** Read how far each chain is followed. */
  health(options?: CallOptions): Promise<Answer<Array<ChainHealth>>>;
  readonly tokens: {
    /** List the tokens of a chain. */
    list(
      chainId: string | number,
      query?: ChainsTokensListQuery,
      options?: CallOptions,
    ): Promise<Answer<Array<ChainToken>>>;
  };
}
