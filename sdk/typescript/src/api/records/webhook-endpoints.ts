// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedWebhookEndpoint {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Address that receives the events. */
  url: string | null;
  /** Types that are sent to it; empty: all. */
  events: Array<string>;
  /** How webhooks are signed: v1, or sha256 for older receivers. */
  signatureScheme: "v1" | "sha256";
  /** Whether events are sent to it. */
  enabled: boolean;
  /** Why nothing is sent to it; null while events are sent. */
  disabledReason: "failing" | null;
  /** Whether it follows the project's `callbackUrl`. */
  isDefault: boolean;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When the next secret comes into force; null where none waits. */
  nextSecretActiveAt: string | null;
  /** The secret that signs webhooks. Shown this once. */
  secret: string;
}

export interface WebhookEndpointList {
  /** The items of this page. */
  data: Array<WebhookEndpoint>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface WebhookEndpoint {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Address that receives the events. */
  url: string | null;
  /** Types that are sent to it; empty: all. */
  events: Array<string>;
  /** How webhooks are signed: v1, or sha256 for older receivers. */
  signatureScheme: "v1" | "sha256";
  /** Whether events are sent to it. */
  enabled: boolean;
  /** Why nothing is sent to it; null while events are sent. */
  disabledReason: "failing" | null;
  /** Whether it follows the project's `callbackUrl`. */
  isDefault: boolean;
  /** When it was created. */
  createdAt: string;
  /** When it last changed. */
  updatedAt: string;
  /** When the next secret comes into force; null where none waits. */
  nextSecretActiveAt: string | null;
}

export interface WebhookEndpointPing {
  /** Id of the event, the same over all attempts. */
  eventId: string;
  /** Id of the delivery. */
  deliveryId: string;
}

export interface WebhookEndpointRecover {
  /** How many deliveries are sent again, or would be with `dryRun`. */
  count: number;
}

export interface WebhookEndpointChangeList {
  /** The items of this page. */
  data: Array<WebhookEndpointChangeItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface WebhookEndpointDeliveryList {
  /** The items of this page. */
  data: Array<WebhookEndpointDeliveryItem>;
  /** How many items the whole list has. */
  total: number;
  /** Number of the page, from 1. */
  page: number;
  /** Most items of a page. */
  limit: number;
}

export interface WebhookEndpointDelivery {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Id of the event, the same over all attempts. */
  eventId: string;
  /** Type of the event, e.g. payment.confirmed. */
  eventType: string;
  /** Id of the webhook endpoint. */
  endpointId: string;
  /** pending, delivered, failed or parked. */
  state: "pending" | "delivered" | "failed" | "parked";
  /** How often it was sent again on request. */
  redeliveries: number;
  /** When it was created. */
  createdAt: string;
  /** The requests that were sent for it, in order. */
  attempts: Array<WebhookEndpointDeliveryAttempts>;
  /** What is sent, as text. */
  body: string;
}

export interface WebhookEndpointChangeItem {
  /** What happened. */
  change:
    | "created"
    | "url_changed"
    | "settings_changed"
    | "enabled"
    | "disabled"
    | "disabled_failing"
    | "secret_added"
    | "secret_activated"
    | "deleted";
  /** Address that receives the events. */
  url: string | null;
  /** When it happened. */
  happenedAt: string;
  /** Id of the key that made the change; null where the service made it. */
  changedBy: string | null;
}

export interface WebhookEndpointDeliveryItem {
  /** Id, with a prefix that names the kind. */
  id: string;
  /** Id of the event, the same over all attempts. */
  eventId: string;
  /** Type of the event, e.g. payment.confirmed. */
  eventType: string;
  /** Id of the webhook endpoint. */
  endpointId: string;
  /** pending, delivered, failed or parked. */
  state: "pending" | "delivered" | "failed" | "parked";
  /** How often it was sent again on request. */
  redeliveries: number;
  /** When it was created. */
  createdAt: string;
  /** The requests that were sent for it, in order. */
  attempts: Array<WebhookEndpointDeliveryItemAttempts>;
}

export interface WebhookEndpointDeliveryAttempts {
  /** Which attempt it was, from 1. */
  number: number;
  /** When the request began. */
  startedAt: string;
  /** How long the request took. */
  durationMs: number;
  /** HTTP status of the answer; null without one. */
  statusCode: number | null;
  /** Why there was no answer; null where there was one. */
  error: string | null;
  /** Address that receives the events. */
  url: string | null;
  /** What the answer said in `Retry-After`; null without it. */
  retryAfter: string | null;
  /** First 4 KiB of the answer. */
  response: string;
  /** Whether `response` is the whole answer. */
  responseComplete: boolean;
}

export interface WebhookEndpointDeliveryItemAttempts {
  /** Which attempt it was, from 1. */
  number: number;
  /** When the request began. */
  startedAt: string;
  /** How long the request took. */
  durationMs: number;
  /** HTTP status of the answer; null without one. */
  statusCode: number | null;
  /** Why there was no answer; null where there was one. */
  error: string | null;
}
