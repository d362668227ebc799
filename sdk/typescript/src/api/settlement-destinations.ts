// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Deleted } from "./records/customers.ts";
import type {
  CreatedSettlementDestination,
  SettlementDestinationList,
} from "./records/settlement-destinations.ts";

export interface SettlementDestinationsCreateBody {
  /** Number of the chain. */
  chainId: number;
  /** Address that settlements may go to. */
  address: string;
  /** The merchant's name for it. */
  label?: string | undefined;
}

export interface SettlementDestinationsListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
}

export interface SettlementDestinations {
  /** Add an address to the address book; settlements may go there after a delay. */
  create(
    body: SettlementDestinationsCreateBody,
    options?: CallOptions,
  ): Promise<Answer<CreatedSettlementDestination>>;
  /** List the address book, newest first. */
  list(
    query?: SettlementDestinationsListQuery,
    options?: CallOptions,
  ): Pages<SettlementDestinationList["data"][number], SettlementDestinationList>;
  /** Take an address out of the address book. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
}
