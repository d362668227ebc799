// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Customer {
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | null;
  /** Email address. */
  email?: string | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Address of the wallet. */
  walletAddress: string;
  /** Name that people read. */
  displayName: string | null;
  /** When it was created. */
  createdAt: string;
}

export interface UpdatedCustomer {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Name that people read. */
  displayName: string | null;
  /** The merchant's own keys and values, returned as they were given. */
  metadata: Record<string, unknown> | null;
}

export interface Deleted {
  /** Always true. */
  deleted: true;
  /** Id, with a prefix that names the kind. */
  id: string;
}

export interface CustomerList {
  /** The items of this page. */
  data: Array<CustomerItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface CreatedCustomer {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Address of the wallet. */
  walletAddress: string;
  /** Email address. */
  email: string | null;
  /** Name that people read. */
  displayName: string | null;
  /** The merchant's own keys and values, returned as they were given. */
  metadata: Record<string, unknown> | null;
  /** When it was created. */
  createdAt: string;
}

export interface CustomerItem {
  /** The merchant's own keys and values, returned as they were given. */
  metadata?: Record<string, unknown> | null;
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Address of the wallet. */
  walletAddress: string;
  /** Name that people read. */
  displayName: string | null;
  /** When it was created. */
  createdAt: string;
}
