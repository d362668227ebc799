// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { CallOptions, Pages } from "../calls.ts";
import type { EventList } from "./records/events.ts";

export interface EventsListQuery {
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** Type of the event. */
  type?:
    | "payment.created"
    | "payment.processing"
    | "payment.confirmed"
    | "payment.received"
    | "payment.screened"
    | "payment.failed"
    | "payment.expired"
    | "payment.refunded"
    | "refund.created"
    | "refund.completed"
    | "refund.failed"
    | "refund.reorged"
    | "settlement.requested"
    | "settlement.approved"
    | "settlement.completed"
    | "settlement.failed"
    | "settlement.reorged"
    | "customer.created"
    | "customer.updated"
    | "project.updated"
    | "api_key.created"
    | "api_key.revoked"
    | "transfer.unmatched"
    | undefined;
  /** Id of the changed resource. */
  resourceId?: string | undefined;
  /** Only events stored at or after this time. */
  from?: string | undefined;
  /** Only events stored before this time. */
  to?: string | undefined;
  /** `oldest` first, or `newest` first; oldest by default. */
  order?: "oldest" | "newest" | undefined;
}

export interface EventsStreamQuery {
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** false: the stream has no `body`, and at most two parts a second. */
  bodies?: boolean | undefined;
}

export interface Events {
  /** List events in order, after a known event. */
  list(query?: EventsListQuery, options?: CallOptions): Pages<EventList["data"][number], EventList>;
  /** Stream events in order; without Accept: text/event-stream, read one page. */
  stream(
    query?: EventsStreamQuery,
    options?: CallOptions,
  ): Pages<EventList["data"][number], EventList>;
}
