import type { Attempt, Delivery, Endpoint, EndpointChange } from "@pay/proto";
import { z } from "zod";
import { EVENT_BODY, EVENT_ID, KEY_ID, WEBHOOK_SECRET } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import { CHANGES, DELIVERY_STATES, SCHEME_TEXT, SCHEMES } from "./request.ts";

const ENDPOINT = {
  id: { schema: shown.id("we"), of: (e) => e.id },
  url: {
    schema: shown.stringOrNull(
      "URL that receives the events; null without one.",
      "https://shop.example/webhooks",
    ),
    of: (e) => e.url ?? null,
  },
  events: {
    schema: shown.strings(
      "Event types that are sent to the endpoint; an empty list means all that need not be listed.",
    ),
    of: (e) => e.events,
  },
  signatureScheme: {
    schema: shown.choice(SCHEMES, SCHEME_TEXT),
    of: (e) => e.signatureScheme,
  },
  concurrencyMax: {
    schema: shown.integer("Most requests to the endpoint at once.", 8),
    of: (e) => e.concurrencyMax,
  },
  include: {
    schema: shown.strings("Fields that the bodies of payment events have besides."),
    of: (e) => e.include,
  },
  enabled: {
    schema: shown.boolean("Whether events are sent to the endpoint.", true),
    of: (e) => e.enabled,
  },
  disabledReason: {
    schema: shown.choiceOrNull(
      ["failing"],
      "Reason why the service disabled the endpoint; null while it is not disabled by the service.",
    ),
    of: (e) => e.disabledReason || null,
  },
  isDefault: {
    schema: shown.boolean("Whether its URL is the project's `callbackUrl`."),
    of: (e) => e.isDefault,
  },
  createdAt: { schema: shown.createdAt, of: (e) => shown.isoTime(e.createdAt) },
  updatedAt: {
    schema: shown.time("Time of the last change."),
    of: (e) => shown.isoTime(e.updatedAt),
  },
  nextSecretActiveAt: {
    schema: shown.timeOrNull("Time at which the next secret becomes active; null without one."),
    of: (e) => shown.isoTime(e.nextSecretActiveAt),
  },
} satisfies MessageFields<Endpoint>;

const ALL = listNames(ENDPOINT);

export function renderEndpoint(endpoint: Endpoint) {
  return pick(ENDPOINT, ALL, endpoint);
}

export const endpointShape = buildShape("WebhookEndpoint", ENDPOINT, ALL);
/** With its present load. */
export const endpointWithLoad = endpointShape
  .extend({
    concurrency: shown.integer(
      "Present limit of requests at once: grows with successes, halves on a timeout, 429 or 503.",
      4,
    ),
    backlog: shown.integer("Number of deliveries that are due and wait; it stops at 10000.", 0),
  })
  .meta({ id: "WebhookEndpointWithLoad" });
/** With a secret, which is shown this once. */
export const endpointWithSecret = endpointShape
  .extend({
    secret: shown.string("Secret that signs the webhooks. Returned once.", WEBHOOK_SECRET),
  })
  .meta({ id: "CreatedWebhookEndpoint" });
/** With a new secret where the endpoint has changed to the scheme standard. */
export const changedEndpoint = endpointShape
  .extend({
    secret: shown
      .string(
        "New secret that signs the webhooks. Returned once, where `signatureScheme` changes to `standard`.",
        WEBHOOK_SECRET,
      )
      .optional(),
  })
  .meta({ id: "ChangedWebhookEndpoint" });

const CHANGE = {
  change: {
    schema: shown.choice(CHANGES, "Kind of the change.", "url_changed"),
    of: (c) => c.change,
  },
  url: {
    schema: shown.stringOrNull(
      "URL after the change; null without one.",
      "https://shop.example/webhooks",
    ),
    of: (c) => c.url ?? null,
  },
  happenedAt: {
    schema: shown.time("Time of the change."),
    of: (c) => shown.isoTime(c.happenedAt),
  },
  changedBy: {
    schema: shown.stringOrNull(
      "Id of the key that made the change; null where the service made it.",
      KEY_ID,
    ),
    of: (c) => c.changedBy ?? null,
  },
} satisfies MessageFields<EndpointChange>;

const WHOLE_CHANGE = listNames(CHANGE);

export function renderChange(change: EndpointChange) {
  return pick(CHANGE, WHOLE_CHANGE, change);
}

export const changeShape = buildShape("WebhookEndpointChangeItem", CHANGE, WHOLE_CHANGE);

const ATTEMPT = {
  number: { schema: shown.integer("Number of the attempt, from 1.", 1), of: (a) => a.number },
  startedAt: {
    schema: shown.time("Time at which the request began."),
    of: (a) => shown.isoTime(a.startedAt),
  },
  durationMs: { schema: shown.integer("Duration of the request.", 41), of: (a) => a.durationMs },
  statusCode: {
    schema: shown.integerOrNull("HTTP status of the response; null without one.", 200),
    of: (a) => a.statusCode ?? null,
  },
  error: {
    schema: shown.stringOrNull("Reason why there was no response; null where there was one."),
    of: (a) => a.error || null,
  },
  url: {
    schema: shown.stringOrNull(
      "URL that the request was sent to; null without one.",
      "https://shop.example/webhooks",
    ),
    of: (a) => a.url ?? null,
  },
  retryAfter: {
    schema: shown.stringOrNull("Value of `Retry-After` in the response; null without it."),
    of: (a) => a.retryAfter ?? null,
  },
  response: {
    schema: shown.string("First 4 KiB of the response.", "ok"),
    of: (a) => toText(a.response),
  },
  responseComplete: {
    schema: shown.boolean("Whether `response` is the whole response.", true),
    of: (a) => a.responseComplete,
  },
} satisfies MessageFields<Attempt>;

const LISTED_ATTEMPT = ["number", "startedAt", "durationMs", "statusCode", "error"] as const;
const FULL_ATTEMPT = listNames(ATTEMPT);

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

const DELIVERY_BODY =
  "Body of the webhook, as text; with the scheme `standard`, the `data` of the body.";
const DELIVERY = {
  id: { schema: shown.id("del"), of: (d) => d.id },
  eventId: {
    schema: shown.string("Id of the event, the same for all attempts.", EVENT_ID),
    of: (d) => d.eventId,
  },
  eventType: {
    schema: shown.string("Type of the event, e.g. payment.confirmed.", "payment.confirmed"),
    of: (d) => d.eventType,
  },
  endpointId: {
    schema: shown.string("Id of the webhook endpoint.", "we_1fJtQv8sN2xKcW7hRz9L4mYb"),
    of: (d) => d.endpointId,
  },
  state: {
    schema: shown.choice(
      DELIVERY_STATES,
      "`pending`, `delivered`, `failed` or `parked`.",
      "delivered",
    ),
    of: (d) => d.state,
  },
  redeliveries: {
    schema: shown.integer("Number of redeliveries on request.", 0),
    of: (d) => d.redeliveries,
  },
  createdAt: { schema: shown.createdAt, of: (d) => shown.isoTime(d.createdAt) },
  body: {
    schema: shown.string(DELIVERY_BODY, EVENT_BODY),
    of: (d) => toText(d.body),
  },
  attempts: {
    schema: z
      .array(buildShape("WebhookEndpointDeliveryItemAttempts", ATTEMPT, LISTED_ATTEMPT))
      .describe("Delivery attempts, in order."),
    of: (d) => d.attempts.map((attempt) => pick(ATTEMPT, LISTED_ATTEMPT, attempt)),
  },
} satisfies MessageFields<Delivery>;

const LISTED_DELIVERY = [
  "id",
  "eventId",
  "eventType",
  "endpointId",
  "state",
  "redeliveries",
  "createdAt",
  "attempts",
] as (keyof typeof DELIVERY)[];

export function renderListedDelivery(delivery: Delivery) {
  return pick(DELIVERY, LISTED_DELIVERY, delivery);
}

/** One delivery, with the bytes that are sent and what came back. */
export function renderDelivery(delivery: Delivery) {
  return {
    ...pick(DELIVERY, [...LISTED_DELIVERY, "body"], delivery),
    attempts: delivery.attempts.map((attempt) => pick(ATTEMPT, FULL_ATTEMPT, attempt)),
  };
}

export const deliveryItem = buildShape("WebhookEndpointDeliveryItem", DELIVERY, LISTED_DELIVERY);
export const deliveryShape = deliveryItem
  .extend({
    body: shown.string(DELIVERY_BODY, EVENT_BODY),
    attempts: z
      .array(buildShape("WebhookEndpointDeliveryAttempts", ATTEMPT, FULL_ATTEMPT))
      .describe("Delivery attempts, in order."),
  })
  .meta({ id: "WebhookEndpointDelivery" });
