// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface SearchResult {
  /** Found records. */
  data: Array<SearchItem>;
  /** Kinds that were not searched to the end in time. */
  incomplete: Array<
    "payment" | "customer" | "refund" | "settlement" | "transfer" | "webhook_endpoint" | "request"
  >;
}

export interface SearchItem {
  /** What was found. */
  kind:
    | "payment"
    | "customer"
    | "refund"
    | "settlement"
    | "transfer"
    | "webhook_endpoint"
    | "request";
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** What people know it by: an amount, a name or an address. */
  title: string;
  /** What tells it from others, e.g. status and order. */
  subtitle: string;
  /** Time of creation. */
  at: string | null;
  /** Payment that it belongs to; null without one. */
  paymentId: string | null;
}
