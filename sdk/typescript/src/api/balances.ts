// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { CallOptions, Pages } from "../calls.ts";
import type { BalanceList } from "./records/balances.ts";

export interface BalancesListQuery {
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: `X-Next-After` of the previous page. */
  after?: string | undefined;
}

export interface Balances {
  /** List what each wallet holds, and what of it can be settled. */
  list(
    query?: BalancesListQuery,
    options?: CallOptions,
  ): Pages<BalanceList["data"][number], BalanceList>;
}
