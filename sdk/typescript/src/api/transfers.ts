// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { TransferAssign, TransferList } from "./records/transfers.ts";

export interface TransfersListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** true: only transfers that pay nothing; false: only transfers that pay something or are being verified. */
  unmatched?: boolean | undefined;
  /** Chain id. */
  chainId?: number | undefined;
  /** Transaction hash. */
  txHash?: string | undefined;
  /** Wallet that sent the money. */
  from?: string | undefined;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency?: string | undefined;
  /** `final`, or `seen` while its block may still leave the chain. */
  state?: "seen" | "final" | undefined;
  /** Only items created at or after this time. */
  createdFrom?: string | undefined;
  /** Only items created at this time or before it. */
  createdTo?: string | undefined;
}

export interface TransfersAssignBody {
  /** Payment that the transfer is for. */
  paymentId?: string | null | undefined;
  /** Refund that the transfer is for. */
  refundId?: string | null | undefined;
}

export interface Transfers {
  /** List transfers to your addresses, newest first. */
  list(
    query?: TransfersListQuery,
    options?: CallOptions,
  ): Pages<TransferList["data"][number], TransferList>;
  /** Assign a transfer to a payment or refund. */
  assign(
    id: string,
    body: TransfersAssignBody,
    options?: CallOptions,
  ): Promise<Answer<TransferAssign>>;
}
