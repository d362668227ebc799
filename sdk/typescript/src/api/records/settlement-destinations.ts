// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedSettlementDestination {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Number of the chain. */
  chainId: number;
  /** Address that settlements may go to. */
  address: string;
  /** The merchant's name for it. */
  label: string | null;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** When it was created. */
  createdAt: string;
  /** From when on settlements may go there. */
  usableAt: string;
}

export interface SettlementDestinationList {
  /** The items of this page. */
  data: Array<SettlementDestinationItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface SettlementDestinationItem {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Number of the chain. */
  chainId: number;
  /** Contract address of the token. */
  address: string;
  /** The merchant's name for it. */
  label: string | null;
  /** Id of the key that created it, or `operator`. */
  createdBy: string;
  /** When it was created. */
  createdAt: string;
  /** From when on settlements may go there. */
  usableAt: string;
}
