// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions } from "../calls.ts";
import type { SearchResult } from "./records/search.ts";

export interface SearchListQuery {
  /** Maximum number of records. */
  limit?: number | undefined;
  /** An id, transaction hash, wallet, order, request id or beginning of a customer's name. */
  q: string;
}

export interface Search {
  /** Find records by an id, hash, address, order or name. */
  list(query: SearchListQuery, options?: CallOptions): Promise<Answer<SearchResult>>;
}
