// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedSettlementDestination {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Chain id. */
  chainId: number;
  /** Address that settlements may go to. */
  address: string;
  /** Label of the address; null without one. */
  label: string | null;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** Time of creation. */
  createdAt: string;
  /** Time from which settlements may go there. */
  usableAt: string;
}

export interface SettlementDestinationList {
  /** Items of this page. */
  data: Array<SettlementDestinationItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface SettlementDestinationItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Chain id. */
  chainId: number;
  /** Address that settlements may go to. */
  address: string;
  /** Label of the address; null without one. */
  label: string | null;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** Time of creation. */
  createdAt: string;
  /** Time from which settlements may go there. */
  usableAt: string;
}
