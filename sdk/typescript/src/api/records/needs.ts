// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface NeedList {
  /** Items of this page. */
  data: Array<NeedItem>;
  /** What could not be asked in time, so that the list may lack some of it. */
  incomplete: Array<"payments" | "transfers" | "refunds" | "settlements" | "webhooks" | "books">;
}

export interface NeedState {
  /** Id of what waits, e.g. of a payment. */
  id: string;
  /** Why it waits. */
  kind:
    | "part"
    | "late"
    | "ambiguous"
    | "review"
    | "wrong_token"
    | "unmatched_transfer"
    | "refund_destination"
    | "refund_signature"
    | "settlement_approval"
    | "settlement_signature"
    | "endpoint_failing"
    | "endpoint_disabled"
    | "book_difference";
  /** Who deals with it; null for nobody. */
  takenBy: Person | null;
  /** Note of a person; null without one. */
  note: string | null;
  /** Time at which a person called it done; null before. */
  doneAt: string | null;
}

export interface NeedItem {
  /** Id of what waits, e.g. of a payment. */
  id: string;
  /** Why it waits. */
  kind:
    | "part"
    | "late"
    | "ambiguous"
    | "review"
    | "wrong_token"
    | "unmatched_transfer"
    | "refund_destination"
    | "refund_signature"
    | "settlement_approval"
    | "settlement_signature"
    | "endpoint_failing"
    | "endpoint_disabled"
    | "book_difference";
  /** Time of creation. */
  createdAt: string;
  /** Amount of what waits; null for an endpoint. */
  amount: string | null;
  /** What came for the payment; null for nothing. */
  receivedAmount: string | null;
  /** Chain id; null for an endpoint. */
  chainId: number | null;
  /** `native` or a token contract; null for an endpoint. */
  currency: string | null;
  /** Order of the payment; null without one. */
  orderId: string | null;
  /** Payment that it belongs to; null without one. */
  paymentId: string | null;
  /** Reason of a refund or transfer, destination of a settlement, URL of an endpoint, month of a difference. */
  detail: string | null;
  /** Deliveries that the endpoint failed in a row, at most 100; null for others. */
  failures: number | null;
  /** Who requested the refund or settlement; null for others. */
  requestedBy: Person | null;
  /** Who deals with it; null for nobody. */
  takenBy: Person | null;
  /** Note of a person; null without one. */
  note: string | null;
  /** Time at which a person called it done; null before. */
  doneAt: string | null;
}

export interface Person {
  /** Id of the member or of the key. */
  id: string;
  /** Name that it has now. */
  name: string | null;
}
