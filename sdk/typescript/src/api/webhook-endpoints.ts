// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Answer, CallOptions, Pages } from "../calls.ts";
import type { Deleted } from "./records/customers.ts";
import type {
  ChangedWebhookEndpoint,
  CreatedWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointChangeList,
  WebhookEndpointDelivery,
  WebhookEndpointDeliveryList,
  WebhookEndpointList,
  WebhookEndpointPing,
  WebhookEndpointRecover,
  WebhookEndpointWithLoad,
} from "./records/webhook-endpoints.ts";

export interface WebhookEndpointsCreateBody {
  /** URL that receives the events. */
  url: string;
  /** Event types that are sent to the endpoint; an empty list means all but `payment.received`, `payment.screened`, `refund.reorged`, `settlement.reorged`, `project.updated`, `api_key.created`, `api_key.revoked`, `transfer.unmatched`, which must be listed. */
  events?:
    | Array<
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
      >
    | null
    | undefined;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme?: "v1" | "sha256" | "standard" | null | undefined;
  /** Most requests to the endpoint at once; 8 by default. */
  concurrencyMax?: number | null | undefined;
  /** Fields that the bodies of payment events have besides; none by default. */
  include?:
    | Array<"metadata" | "receivedAmount" | "refundedAmount" | "failureCode">
    | null
    | undefined;
  /** Whether events are sent to the endpoint. */
  enabled?: boolean | null | undefined;
}

export interface WebhookEndpointsListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
  /** Cursor: id of the last item of the previous page. */
  after?: string | undefined;
}

export interface WebhookEndpointsUpdateBody {
  /** URL that receives the events. */
  url?: string | undefined;
  /** Event types that are sent to the endpoint; an empty list means all but `payment.received`, `payment.screened`, `refund.reorged`, `settlement.reorged`, `project.updated`, `api_key.created`, `api_key.revoked`, `transfer.unmatched`, which must be listed. */
  events?:
    | Array<
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
      >
    | undefined;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme?: "v1" | "sha256" | "standard" | undefined;
  /** Most requests to the endpoint at once; 8 by default. */
  concurrencyMax?: number | undefined;
  /** Fields that the bodies of payment events have besides; none by default. */
  include?: Array<"metadata" | "receivedAmount" | "refundedAmount" | "failureCode"> | undefined;
  /** Whether events are sent to the endpoint. */
  enabled?: boolean | undefined;
}

export interface WebhookEndpointsRotateSecretBody {
  /** Seconds for which both secrets sign. */
  overlapSeconds?: number | null | undefined;
}

export interface WebhookEndpointsRecoverBody {
  /** Only deliveries since this time. */
  since: string;
  /** Only deliveries before this time; none is now. */
  until?: string | null | undefined;
  /** Count the deliveries without sending them. */
  dryRun?: boolean | null | undefined;
}

export interface WebhookEndpointsChangesListQuery {
  /** Page number, from 1. */
  page?: number | undefined;
  /** Maximum number of items of a page. */
  limit?: number | undefined;
}

export interface WebhookEndpointsDeliveriesListQuery {
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
}

export interface WebhookEndpoints {
  /** Create a webhook endpoint; its secret is returned once. */
  create(
    body: WebhookEndpointsCreateBody,
    options?: CallOptions,
  ): Promise<Answer<CreatedWebhookEndpoint>>;
  /** List the webhook endpoints of the key's mode, newest first. */
  list(
    query?: WebhookEndpointsListQuery,
    options?: CallOptions,
  ): Pages<WebhookEndpointList["data"][number], WebhookEndpointList>;
  /** Read a webhook endpoint with its present load. */
  get(id: string, options?: CallOptions): Promise<Answer<WebhookEndpointWithLoad>>;
  /** Change, enable or disable a webhook endpoint; absent fields stay. */
  update(
    id: string,
    body: WebhookEndpointsUpdateBody,
    options?: CallOptions,
  ): Promise<Answer<ChangedWebhookEndpoint>>;
  /** Delete a webhook endpoint and its pending deliveries. */
  delete(id: string, options?: CallOptions): Promise<Answer<Deleted>>;
  /** Rotate the secret; both secrets sign during the overlap. */
  rotateSecret(
    id: string,
    body: WebhookEndpointsRotateSecretBody,
    options?: CallOptions,
  ): Promise<Answer<CreatedWebhookEndpoint>>;
  /** Complete a secret rotation: the next secret signs from now on. */
  activateSecret(id: string, options?: CallOptions): Promise<Answer<WebhookEndpoint>>;
  /** Send a ping event to this endpoint. */
  ping(id: string, options?: CallOptions): Promise<Answer<WebhookEndpointPing>>;
  /** Redeliver failed and parked deliveries since a time, at most 10000. */
  recover(
    id: string,
    body: WebhookEndpointsRecoverBody,
    options?: CallOptions,
  ): Promise<Answer<WebhookEndpointRecover>>;
  readonly changes: {
    /** List the changes of a webhook endpoint, newest first, also after its deletion. */
    list(
      id: string,
      query?: WebhookEndpointsChangesListQuery,
      options?: CallOptions,
    ): Promise<Answer<WebhookEndpointChangeList>>;
  };
  readonly deliveries: {
    /** List an endpoint's deliveries, newest first; the total stops at 10000. */
    list(
      id: string,
      query?: WebhookEndpointsDeliveriesListQuery,
      options?: CallOptions,
    ): Pages<WebhookEndpointDeliveryList["data"][number], WebhookEndpointDeliveryList>;
    /** Read a delivery with its body and the response of every attempt. */
    get(
      id: string,
      deliveryId: string,
      options?: CallOptions,
    ): Promise<Answer<WebhookEndpointDelivery>>;
    /** Redeliver a finished delivery: same event and body, new attempts. */
    redeliver(
      id: string,
      deliveryId: string,
      options?: CallOptions,
    ): Promise<Answer<WebhookEndpointDelivery>>;
  };
}
