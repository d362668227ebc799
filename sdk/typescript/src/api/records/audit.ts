// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface AuditList {
  /** Items of this page. */
  data: Array<AuditItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface AuditItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Time of the request. */
  createdAt: string;
  /** Who made the request. */
  actor: Actor;
  /** Operation of the API, or command of the operator. */
  action: string;
  /** Id of what it was done to; null where there is none. */
  targetId: string | null;
  /** Fields of the request; values of secrets and of personal data are not recorded. */
  changes: Array<AuditChange>;
  /** `asked` until the request has ended; it stays so where the service crashed. */
  state: "asked" | "done";
  /** Status of the response; null until it has ended. */
  statusCode: number | null;
  /** Error code of a request that was rejected; null otherwise. */
  errorCode: string | null;
  /** Id of the request. */
  requestId: string;
  /** Address of the client; null for the operator. */
  clientAddress: string | null;
}

export interface Actor {
  /** Kind of caller; `shopper` has no key. */
  type: "key" | "member" | "operator" | "shopper";
  /** Id of the key or of the member; null without one. */
  id: string | null;
  /** Name that the key or the member has now. */
  name: string | null;
}

export interface AuditChange {
  /** Name of the field. */
  field: string;
  /** Value before; null where it is not recorded. */
  before: unknown;
  /** Value after; null where it is not recorded. */
  after: unknown;
}
