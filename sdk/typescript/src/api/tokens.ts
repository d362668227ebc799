// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { ChainToken } from "./records/chains.ts";

export interface Tokens {
  /** List the tokens of all chains. */
  list(options?: CallOptions): Promise<Answer<Array<ChainToken>>>;
}
