// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Deleted } from "./records/customers.ts";
import type {
  CreatedSettlementDestination,
  SettlementDestinationList,
} from "./records/settlement-destinations.ts";

export interface SettlementDestinationsCreateBody {
  /** Chain id. */
  chainId: number;
  /** Address that settlements may go to. */
  address: string;
  /** Label of the address. */
  label?: string | null | undefined;
}

export interface SettlementDestinationsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
}

export interface SettlementDestinations {
  /** Add an address to the address book; settlements can use it after a delay. */
  create(
    body: SettlementDestinationsCreateBody,
    options?: CallOptions,
  ): Promise<Answer<CreatedSettlementDestination>>;
  /** List the addresses of the address book, newest first. */
  list(
    query?: SettlementDestinationsListQuery,
    options?: CallOptions,
  ): Pages<SettlementDestinationList["data"][number], SettlementDestinationList>;
  /** Remove an address from the address book. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
}
