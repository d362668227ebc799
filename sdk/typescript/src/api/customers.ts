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
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"metadata" | "email"> | undefined;
}

export interface CustomersUpdateBody {
  /** Display name; null for none. */
  displayName?: string | null | undefined;
  /** Your own keys and values, returned as you sent them; null for none. */
  metadata?: Record<string, unknown> | null | undefined;
}

export interface CustomersListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Wallet address. */
  walletAddress?: string | undefined;
  /** Beginning of the display name, in any case. */
  name?: string | undefined;
  /** Only items created at or after this time. */
  createdFrom?: string | undefined;
  /** Only items created at this time or before it. */
  createdTo?: string | undefined;
  /** Additional fields and records of the response, separated by commas. */
  expand?: Array<"metadata"> | undefined;
}

export interface CustomersCreateBody {
  /** Wallet address. */
  walletAddress: string;
  /** Email address. */
  email?: string | null | undefined;
  /** Display name. */
  displayName?: string | null | undefined;
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null | undefined;
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
  /** Erase a customer; payments and refunds are kept. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
  /** List customers, newest first. */
  list(
    query?: CustomersListQuery,
    options?: CallOptions,
  ): Pages<CustomerList["data"][number], CustomerList>;
  /** Create a customer. */
  create(body: CustomersCreateBody, options?: CallOptions): Promise<Answer<CreatedCustomer>>;
}
