// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { WebhookEndpointHealthList } from "./records/deliveries.ts";
import type { WebhookEndpointDeliveryList } from "./records/webhook-endpoints.ts";

export interface DeliveriesListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
  /** `pending`, `delivered`, `failed` or `parked`. */
  state?: "pending" | "delivered" | "failed" | "parked" | undefined;
  /** Type of the event. */
  type?:
    | "ping"
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
  /** Id of the event. */
  eventId?: string | undefined;
  /** Id of the changed resource. */
  resourceId?: string | undefined;
  /** Only deliveries created at or after this time. */
  from?: string | undefined;
  /** Only deliveries created before this time. */
  to?: string | undefined;
  /** Id of the endpoint. */
  endpointId?: string | undefined;
}

export interface Deliveries {
  /** List the deliveries of all endpoints, newest first; the total stops at 10000. */
  list(
    query?: DeliveriesListQuery,
    options?: CallOptions,
  ): Pages<WebhookEndpointDeliveryList["data"][number], WebhookEndpointDeliveryList>;
  /** Read the attempts of the last 24 hours, by endpoint and hour. */
  health(options?: CallOptions): Promise<Answer<WebhookEndpointHealthList>>;
}
