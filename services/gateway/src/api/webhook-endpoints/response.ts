import type { Attempt, Delivery, Endpoint, EndpointChange } from "@pay/proto";
import { z } from "zod";
import { isoTime, isoTimeShape } from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import { CHANGES, DELIVERY_STATES, SCHEMES } from "./request.ts";

const ENDPOINT = {
  id: { schema: z.string(), of: (e) => e.id },
  url: { schema: z.string().nullable(), of: (e) => e.url ?? null },
  events: { schema: z.array(z.string()), of: (e) => e.events },
  signatureScheme: { schema: z.enum(SCHEMES), of: (e) => e.signatureScheme },
  enabled: { schema: z.boolean(), of: (e) => e.enabled },
  disabledReason: { schema: z.enum(["failing"]).nullable(), of: (e) => e.disabledReason || null },
  isDefault: { schema: z.boolean(), of: (e) => e.isDefault },
  createdAt: { schema: isoTimeShape, of: (e) => isoTime(e.createdAt) },
  updatedAt: { schema: isoTimeShape, of: (e) => isoTime(e.updatedAt) },
  nextSecretActiveAt: {
    schema: isoTimeShape.nullable(),
    of: (e) => isoTime(e.nextSecretActiveAt),
  },
} satisfies MessageFields<Endpoint>;

const ALL = listNames(ENDPOINT);

export function renderEndpoint(endpoint: Endpoint) {
  return pick(ENDPOINT, ALL, endpoint);
}

export const endpointShape = buildShape(ENDPOINT, ALL);
/** With a secret, which is shown this once. */
export const endpointWithSecret = endpointShape.extend({ secret: z.string() });

const CHANGE = {
  change: { schema: z.enum(CHANGES), of: (c) => c.change },
  url: { schema: z.string().nullable(), of: (c) => c.url ?? null },
  happenedAt: { schema: isoTimeShape, of: (c) => isoTime(c.happenedAt) },
  changedBy: { schema: z.string().nullable(), of: (c) => c.changedBy ?? null },
} satisfies MessageFields<EndpointChange>;

const WHOLE_CHANGE = listNames(CHANGE);

export function renderChange(change: EndpointChange) {
  return pick(CHANGE, WHOLE_CHANGE, change);
}

export const changeShape = buildShape(CHANGE, WHOLE_CHANGE);

const ATTEMPT = {
  number: { schema: z.int(), of: (a) => a.number },
  startedAt: { schema: isoTimeShape, of: (a) => isoTime(a.startedAt) },
  durationMs: { schema: z.int(), of: (a) => a.durationMs },
  statusCode: { schema: z.int().nullable(), of: (a) => a.statusCode ?? null },
  error: { schema: z.string().nullable(), of: (a) => a.error || null },
  url: { schema: z.string().nullable(), of: (a) => a.url ?? null },
  retryAfter: { schema: z.string().nullable(), of: (a) => a.retryAfter ?? null },
  response: { schema: z.string(), of: (a) => toText(a.response) },
  responseComplete: { schema: z.boolean(), of: (a) => a.responseComplete },
} satisfies MessageFields<Attempt>;

const LISTED_ATTEMPT = ["number", "startedAt", "durationMs", "statusCode", "error"] as const;
const FULL_ATTEMPT = listNames(ATTEMPT);

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

const DELIVERY = {
  id: { schema: z.string(), of: (d) => d.id },
  eventId: { schema: z.string(), of: (d) => d.eventId },
  eventType: { schema: z.string(), of: (d) => d.eventType },
  endpointId: { schema: z.string(), of: (d) => d.endpointId },
  state: { schema: z.enum(DELIVERY_STATES), of: (d) => d.state },
  redeliveries: { schema: z.int(), of: (d) => d.redeliveries },
  createdAt: { schema: isoTimeShape, of: (d) => isoTime(d.createdAt) },
  body: { schema: z.string(), of: (d) => toText(d.body) },
  attempts: {
    schema: z.array(buildShape(ATTEMPT, LISTED_ATTEMPT)),
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

export const deliveryItem = buildShape(DELIVERY, LISTED_DELIVERY);
export const deliveryShape = deliveryItem.extend({
  body: z.string(),
  attempts: z.array(buildShape(ATTEMPT, FULL_ATTEMPT)),
});
