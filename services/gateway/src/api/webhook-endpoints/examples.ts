import { type Examples, page } from "../example-answers.ts";
import { CREATED_AT, EVENT_BODY, EVENT_ID, KEY_ID } from "../example-values.ts";

const endpoint = {
  id: "we_1fJtQv8sN2xKcW7hRz9L4mYb",
  url: "https://shop.example/webhooks",
  events: [],
  signatureScheme: "v1",
  enabled: true,
  disabledReason: null,
  isDefault: false,
  createdAt: CREATED_AT,
  updatedAt: CREATED_AT,
  nextSecretActiveAt: null,
};
const attempt = {
  number: 1,
  startedAt: CREATED_AT,
  durationMs: 41,
  statusCode: 200,
  error: null,
};
const delivery = {
  id: "del_8sN2xKcW7hRz9L4mYb1fJtQv",
  eventId: EVENT_ID,
  eventType: "payment.confirmed",
  endpointId: endpoint.id,
  state: "delivered",
  redeliveries: 0,
  createdAt: CREATED_AT,
  attempts: [attempt],
};
const fullDelivery = {
  ...delivery,
  body: EVENT_BODY,
  attempts: [
    {
      ...attempt,
      url: endpoint.url,
      retryAfter: null,
      response: "ok",
      responseComplete: true,
    },
  ],
};
const webhookSecret = "whsec_2sXc4vB6nM8kJ0hG3fD5aS7pO9iU1yT3rE5wQ6z9LzrA";

export const EXAMPLES: Examples = {
  "POST /v1/webhook-endpoints": {
    request: { url: endpoint.url, events: [] },
    response: { ...endpoint, secret: webhookSecret },
  },
  "GET /v1/webhook-endpoints": { response: page(endpoint) },
  "GET /v1/webhook-endpoints/{id}": { response: endpoint },
  "PUT /v1/webhook-endpoints/{id}": {
    request: { enabled: false },
    response: { ...endpoint, enabled: false },
  },
  "DELETE /v1/webhook-endpoints/{id}": { response: { deleted: true, id: endpoint.id } },
  "POST /v1/webhook-endpoints/{id}/rotate-secret": {
    request: { overlapSeconds: 86_400 },
    response: {
      ...endpoint,
      nextSecretActiveAt: "2026-02-01T12:00:00.000Z",
      secret: webhookSecret,
    },
  },
  "POST /v1/webhook-endpoints/{id}/activate-secret": { response: endpoint },
  "POST /v1/webhook-endpoints/{id}/ping": {
    response: { eventId: EVENT_ID, deliveryId: delivery.id },
  },
  "POST /v1/webhook-endpoints/{id}/recover": {
    request: { since: CREATED_AT, dryRun: true },
    response: { count: 3 },
  },
  "GET /v1/webhook-endpoints/{id}/changes": {
    response: page({
      change: "url_changed",
      url: endpoint.url,
      happenedAt: CREATED_AT,
      changedBy: KEY_ID,
    }),
  },
  "GET /v1/webhook-endpoints/{id}/deliveries": { response: page(delivery) },
  "GET /v1/webhook-endpoints/{id}/deliveries/{deliveryId}": { response: fullDelivery },
  "POST /v1/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver": {
    response: { ...fullDelivery, state: "pending", redeliveries: 1, attempts: [] },
  },
};
