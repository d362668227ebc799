// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { NeedList, NeedState } from "./records/needs.ts";

export interface NeedsListQuery {
  /** Only needs of this kind. */
  kind?:
    | "part"
    | "late"
    | "ambiguous"
    | "review"
    | "wrong_token"
    | "unmatched_transfer"
    | "refund_destination"
    | "refund_signature"
    | "settlement_approval"
    | "settlement_signature"
    | "endpoint_failing"
    | "endpoint_disabled"
    | "book_difference"
    | undefined;
  /** Only needs that you, anyone or nobody has taken: `me`, `anyone` or `nobody`. */
  taken?: "me" | "anyone" | "nobody" | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: `X-Next-After` of the previous page. */
  after?: string | undefined;
}

export interface NeedsUpdateBody {
  /** Whether you deal with it; false for nobody. */
  take?: boolean | null | undefined;
  /** Note for colleagues; an empty one removes it. */
  note?: string | null | undefined;
  /** Whether nothing is to be done any more. */
  done?: boolean | null | undefined;
}

export interface Needs {
  /** List what waits for a person, newest first, as far as the key may read it. */
  list(query?: NeedsListQuery, options?: CallOptions): Pages<NeedList["data"][number], NeedList>;
  /** Take what waits for a person, note something about it, or call it done. */
  update(id: string, body: NeedsUpdateBody, options?: CallOptions): Promise<Answer<NeedState>>;
}
