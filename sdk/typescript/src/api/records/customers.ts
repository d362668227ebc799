// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface Customer {
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null;
  /** Email address. */
  email?: string | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Wallet address. */
  walletAddress: string;
  /** Display name. */
  displayName: string | null;
  /** Time of creation. */
  createdAt: string;
}

export interface UpdatedCustomer {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Display name. */
  displayName: string | null;
  /** Your own keys and values, returned as you sent them. */
  metadata: Record<string, unknown> | null;
}

export interface Deleted {
  /** Always true. */
  deleted: true;
  /** Id. */
  id: string;
}

export interface CustomerList {
  /** Items of this page. */
  data: Array<CustomerItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface CreatedCustomer {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Wallet address. */
  walletAddress: string;
  /** Email address. */
  email: string | null;
  /** Display name. */
  displayName: string | null;
  /** Your own keys and values, returned as you sent them. */
  metadata: Record<string, unknown> | null;
  /** Time of creation. */
  createdAt: string;
}

export interface CustomerItem {
  /** Your own keys and values, returned as you sent them. */
  metadata?: Record<string, unknown> | null;
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Wallet address. */
  walletAddress: string;
  /** Display name. */
  displayName: string | null;
  /** Time of creation. */
  createdAt: string;
}
