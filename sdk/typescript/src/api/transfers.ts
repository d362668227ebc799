// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { TransferAssign, TransferList } from "./records/transfers.ts";

export interface TransfersListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
  /** true: only what pays nothing; false: only what pays something or is being verified. */
  unmatched?: boolean | undefined;
  /** Number of the chain. */
  chainId?: number | undefined;
}

export interface TransfersAssignBody {
  /** Id of the payment. */
  paymentId?: string | undefined;
  /** Id of the refund. */
  refundId?: string | undefined;
}

export interface Transfers {
  /** List what reached your addresses, the newest first. */
  list(
    query?: TransfersListQuery,
    options?: CallOptions,
  ): Pages<TransferList["data"][number], TransferList>;
  /** Say which payment or refund a transfer pays. */
  assign(
    id: string,
    body: TransfersAssignBody,
    options?: CallOptions,
  ): Promise<Answer<TransferAssign>>;
}
