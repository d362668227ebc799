// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type {
  CreatedCustomer,
  Customer,
  CustomerList,
  Deleted,
  UpdatedCustomer,
} from "./records/customers.ts";

export interface CustomersGetQuery {
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"metadata" | "email"> | undefined;
}

export interface CustomersUpdateBody {
  /** Name that people read. */
  displayName?: string | undefined;
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | undefined;
}

export interface CustomersListQuery {
  /** Number of the page, from 1. */
  page?: number | undefined;
  /** Most items of a page. */
  limit?: number | undefined;
  /** Id of the last item of the page before; walks a list that grows. */
  after?: string | undefined;
  /** Address of the wallet. */
  walletAddress?: string | undefined;
  /** Fields and records that the answer shows besides, separated by commas. */
  expand?: Array<"metadata"> | undefined;
}

export interface CustomersCreateBody {
  /** Address of the wallet. */
  walletAddress: string;
  /** Email address. */
  email?: string | undefined;
  /** Name that people read. */
  displayName?: string | undefined;
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | undefined;
}

export interface Customers {
  /** Read a customer. */
  get(id: string, query?: CustomersGetQuery, options?: CallOptions): Promise<Answer<Customer>>;
  /** Change a customer's name or metadata; absent fields stay. */
  update(
    id: string,
    body: CustomersUpdateBody,
    options?: CallOptions,
  ): Promise<Answer<UpdatedCustomer>>;
  /** Erase a customer; payments and refunds stay readable. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
  /** List customers, newest first. */
  list(
    query?: CustomersListQuery,
    options?: CallOptions,
  ): Pages<CustomerList["data"][number], CustomerList>;
  /** Create a customer. */
  create(body: CustomersCreateBody, options?: CallOptions): Promise<Answer<CreatedCustomer>>;
}
