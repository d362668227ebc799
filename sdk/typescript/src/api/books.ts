// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { BookList, BookMonthList } from "./records/books.ts";

export interface BooksGetQuery {
  /** Maximum number of rows of a page. */
  limit?: number | undefined;
  /** Cursor: `X-Next-After` of the previous page. */
  after?: string | undefined;
}

export interface Books {
  /** List the months of the books, newest first. */
  list(options?: CallOptions): Promise<Answer<BookMonthList>>;
  /** Compare the wallets with the chain in a month. */
  get(
    month: string,
    query?: BooksGetQuery,
    options?: CallOptions,
  ): Pages<BookList["data"][number], BookList>;
}
