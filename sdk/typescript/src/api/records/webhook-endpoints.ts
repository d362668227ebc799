// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

export interface CreatedWebhookEndpoint {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** URL that receives the events; null without one. */
  url: string | null;
  /** Event types that are sent to the endpoint; an empty list means all that need not be listed. */
  events: Array<string>;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme: "v1" | "sha256" | "standard";
  /** Most requests to the endpoint at once. */
  concurrencyMax: number;
  /** Fields that the bodies of payment events have besides. */
  include: Array<string>;
  /** Whether events are sent to the endpoint. */
  enabled: boolean;
  /** Reason why the service disabled the endpoint; null while it is not disabled by the service. */
  disabledReason: "failing" | null;
  /** Whether its URL is the project's `callbackUrl`. */
  isDefault: boolean;
  /** Time of creation. */
  createdAt: string;
  /** Time of the last change. */
  updatedAt: string;
  /** Time at which the next secret becomes active; null without one. */
  nextSecretActiveAt: string | null;
  /** Secret that signs the webhooks. Returned once. */
  secret: string;
}

export interface WebhookEndpointList {
  /** Items of this page. */
  data: Array<WebhookEndpoint>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface WebhookEndpointWithLoad {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** URL that receives the events; null without one. */
  url: string | null;
  /** Event types that are sent to the endpoint; an empty list means all that need not be listed. */
  events: Array<string>;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme: "v1" | "sha256" | "standard";
  /** Most requests to the endpoint at once. */
  concurrencyMax: number;
  /** Fields that the bodies of payment events have besides. */
  include: Array<string>;
  /** Whether events are sent to the endpoint. */
  enabled: boolean;
  /** Reason why the service disabled the endpoint; null while it is not disabled by the service. */
  disabledReason: "failing" | null;
  /** Whether its URL is the project's `callbackUrl`. */
  isDefault: boolean;
  /** Time of creation. */
  createdAt: string;
  /** Time of the last change. */
  updatedAt: string;
  /** Time at which the next secret becomes active; null without one. */
  nextSecretActiveAt: string | null;
  /** Present limit of requests at once: grows with successes, halves on a timeout, 429 or 503. */
  concurrency: number;
  /** Number of deliveries that are due and wait; it stops at 10000. */
  backlog: number;
}

export interface ChangedWebhookEndpoint {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** URL that receives the events; null without one. */
  url: string | null;
  /** Event types that are sent to the endpoint; an empty list means all that need not be listed. */
  events: Array<string>;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme: "v1" | "sha256" | "standard";
  /** Most requests to the endpoint at once. */
  concurrencyMax: number;
  /** Fields that the bodies of payment events have besides. */
  include: Array<string>;
  /** Whether events are sent to the endpoint. */
  enabled: boolean;
  /** Reason why the service disabled the endpoint; null while it is not disabled by the service. */
  disabledReason: "failing" | null;
  /** Whether its URL is the project's `callbackUrl`. */
  isDefault: boolean;
  /** Time of creation. */
  createdAt: string;
  /** Time of the last change. */
  updatedAt: string;
  /** Time at which the next secret becomes active; null without one. */
  nextSecretActiveAt: string | null;
  /** New secret that signs the webhooks. Returned once, where `signatureScheme` changes to `standard`. */
  secret?: string;
}

export interface WebhookEndpoint {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** URL that receives the events; null without one. */
  url: string | null;
  /** Event types that are sent to the endpoint; an empty list means all that need not be listed. */
  events: Array<string>;
  /** Signature scheme: `v1`, `standard` (standardwebhooks.com), or `sha256` for older receivers. */
  signatureScheme: "v1" | "sha256" | "standard";
  /** Most requests to the endpoint at once. */
  concurrencyMax: number;
  /** Fields that the bodies of payment events have besides. */
  include: Array<string>;
  /** Whether events are sent to the endpoint. */
  enabled: boolean;
  /** Reason why the service disabled the endpoint; null while it is not disabled by the service. */
  disabledReason: "failing" | null;
  /** Whether its URL is the project's `callbackUrl`. */
  isDefault: boolean;
  /** Time of creation. */
  createdAt: string;
  /** Time of the last change. */
  updatedAt: string;
  /** Time at which the next secret becomes active; null without one. */
  nextSecretActiveAt: string | null;
}

export interface WebhookEndpointPing {
  /** Id of the event, the same for all attempts. */
  eventId: string;
  /** Id of the delivery. */
  deliveryId: string;
}

export interface WebhookEndpointRecover {
  /** Number of deliveries that are sent again, or would be with `dryRun`. */
  count: number;
}

export interface WebhookEndpointChangeList {
  /** Items of this page. */
  data: Array<WebhookEndpointChangeItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface WebhookEndpointDeliveryList {
  /** Items of this page. */
  data: Array<WebhookEndpointDeliveryItem>;
  /** Number of items in the whole list. */
  total: number;
  /** Page number, from 1. */
  page: number;
  /** Maximum number of items of a page. */
  limit: number;
}

export interface WebhookEndpointDelivery {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Id of the event, the same for all attempts. */
  eventId: string;
  /** Type of the event, e.g. payment.confirmed. */
  eventType: string;
  /** Id of the webhook endpoint. */
  endpointId: string;
  /** `pending`, `delivered`, `failed` or `parked`. */
  state: "pending" | "delivered" | "failed" | "parked";
  /** Number of redeliveries on request. */
  redeliveries: number;
  /** Time of creation. */
  createdAt: string;
  /** Delivery attempts, in order. */
  attempts: Array<WebhookEndpointDeliveryAttempts>;
  /** Body of the webhook, as text; with the scheme `standard`, the `data` of the body. */
  body: string;
}

export interface WebhookEndpointChangeItem {
  /** Kind of the change. */
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
  /** URL after the change; null without one. */
  url: string | null;
  /** Time of the change. */
  happenedAt: string;
  /** Id of the key that made the change; null where the service made it. */
  changedBy: string | null;
}

export interface WebhookEndpointDeliveryItem {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Id of the event, the same for all attempts. */
  eventId: string;
  /** Type of the event, e.g. payment.confirmed. */
  eventType: string;
  /** Id of the webhook endpoint. */
  endpointId: string;
  /** `pending`, `delivered`, `failed` or `parked`. */
  state: "pending" | "delivered" | "failed" | "parked";
  /** Number of redeliveries on request. */
  redeliveries: number;
  /** Time of creation. */
  createdAt: string;
  /** Delivery attempts, in order. */
  attempts: Array<WebhookEndpointDeliveryItemAttempts>;
}

export interface WebhookEndpointDeliveryAttempts {
  /** Number of the attempt, from 1. */
  number: number;
  /** Time at which the request began. */
  startedAt: string;
  /** Duration of the request. */
  durationMs: number;
  /** HTTP status of the response; null without one. */
  statusCode: number | null;
  /** Reason why there was no response; null where there was one. */
  error: string | null;
  /** URL that the request was sent to; null without one. */
  url: string | null;
  /** Value of `Retry-After` in the response; null without it. */
  retryAfter: string | null;
  /** First 4 KiB of the response. */
  response: string;
  /** Whether `response` is the whole response. */
  responseComplete: boolean;
}

export interface WebhookEndpointDeliveryItemAttempts {
  /** Number of the attempt, from 1. */
  number: number;
  /** Time at which the request began. */
  startedAt: string;
  /** Duration of the request. */
  durationMs: number;
  /** HTTP status of the response; null without one. */
  statusCode: number | null;
  /** Reason why there was no response; null where there was one. */
  error: string | null;
}
