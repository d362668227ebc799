import { forwardSecretOnce } from "../../idempotency/forwarded-call.ts";
import { idempotencyDigest } from "../../idempotency/repeatable-call.ts";
import { route } from "../../pipeline/route.ts";
import { deleted } from "../field-values.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape, requireField } from "../response-fields.ts";
import { withWarning, withWarnings } from "./disabled-warning.ts";
import {
  endpointChange,
  endpointCreation,
  endpointPages,
  receivingUrl,
  secretRotation,
} from "./request.ts";
import {
  changedEndpoint,
  endpointShape,
  endpointWithLoad,
  endpointWithSecret,
  renderEndpoint,
} from "./response.ts";

const endpoints = { auth: "secret", tag: "Webhook endpoints", limit: "standard" } as const;
const changing = {
  ...endpoints,
  scope: "webhooks:write",
  // An address may contain a secret of the receiver.
  audit: {
    ofKeys: true,
    values: ["events", "include", "signatureScheme", "concurrencyMax", "enabled", "overlapSeconds"],
  },
} as const;
const ENDPOINT = { prefix: "we", noun: "Webhook endpoint" } as const;

export const createEndpointRoute = route({
  ...changing,
  summary: "Create a webhook endpoint; its secret is returned once",
  example: { request: { events: [] } },
  body: endpointCreation,
  response: endpointWithSecret,
  success: 201,
  failures: ["endpoint_count_exhausted"],
  handle: async (call, deps) => {
    const { url, events = [], include = [], enabled = true, ...settings } = call.body;
    const wanted = {
      url: receivingUrl(deps.callbackPolicy, url),
      events,
      include,
      signatureScheme: settings.signatureScheme ?? "v1",
      concurrencyMax: settings.concurrencyMax,
      enabled,
      repetition: idempotencyDigest(call),
      changedBy: call.caller.actor,
    };
    async function write() {
      const { webhooks } = call.services;
      const made = await webhooks.createEndpoint(wanted);
      return { ...renderEndpoint(requireField(made.endpoint)), secret: made.secret };
    }

    return forwardSecretOnce(deps, call, { write });
  },
});

export const listEndpointsRoute = route({
  ...endpoints,
  scope: "webhooks:read",
  summary: "List the webhook endpoints of the key's mode, newest first",
  query: endpointPages,
  response: listShape("WebhookEndpointList", endpointShape),
  success: 200,
  handle: async (call) => {
    const answer = await call.services.webhooks.listEndpoints({ page: getPage(call.query) });
    return renderPage(call, answer, withWarnings(call, answer.endpoints).map(renderEndpoint));
  },
});

export const readEndpointRoute = route({
  ...endpoints,
  id: ENDPOINT,
  scope: "webhooks:read",
  summary: "Read a webhook endpoint with its present load",
  response: endpointWithLoad,
  success: 200,
  handle: async (call) => {
    const { id } = call.params;
    const { endpoint, concurrency, backlog } = await call.services.webhooks.getEndpoint({ id });
    return { ...renderEndpoint(withWarning(call, requireField(endpoint))), concurrency, backlog };
  },
});

export const changeEndpointRoute = route({
  ...changing,
  id: ENDPOINT,
  summary: "Change, enable or disable a webhook endpoint; absent fields stay",
  example: { request: { enabled: false }, response: { enabled: false } },
  body: endpointChange,
  repeatable: true,
  response: changedEndpoint,
  success: 200,
  failures: ["endpoint_default"],
  handle: async (call, deps) => {
    const { url, events, include, signatureScheme, concurrencyMax, enabled } = call.body;
    const wanted = {
      id: call.params.id,
      signatureScheme,
      concurrencyMax,
      enabled,
      changedBy: call.caller.actor,
      url: url === undefined ? undefined : receivingUrl(deps.callbackPolicy, url),
      events: events && { events },
      include: include && { fields: include },
    };
    async function write() {
      const { endpoint, secret } = await call.services.webhooks.updateEndpoint(wanted);
      return { ...renderEndpoint(requireField(endpoint)), ...(secret && { secret }) };
    }

    return forwardSecretOnce(deps, call, { write });
  },
});

export const deleteEndpointRoute = route({
  ...changing,
  id: ENDPOINT,
  summary: "Delete a webhook endpoint and its pending deliveries",
  response: deleted,
  success: 200,
  failures: ["endpoint_default"],
  handle: async ({ params, services, caller }) => {
    const wanted = { id: params.id, changedBy: caller.actor };
    const { id } = await services.webhooks.deleteEndpoint(wanted);
    return { deleted: true, id };
  },
});

export const rotateSecretRoute = route({
  ...changing,
  id: ENDPOINT,
  summary: "Rotate the secret; both secrets sign during the overlap",
  example: {
    request: { overlapSeconds: 86_400 },
    response: { nextSecretActiveAt: "2026-02-01T12:00:00.000Z" },
  },
  body: secretRotation,
  response: endpointWithSecret,
  success: 200,
  failures: ["state_contended"],
  handle: (call, deps) =>
    forwardSecretOnce(deps, call, {
      write: async () => {
        const wanted = { ...call.body, id: call.params.id, changedBy: call.caller.actor };
        const { endpoint, secret } = await call.services.webhooks.rotateSecret(wanted);
        return { ...renderEndpoint(requireField(endpoint)), secret };
      },
    }),
});

export const activateSecretRoute = route({
  ...changing,
  id: ENDPOINT,
  summary: "Complete a secret rotation: the next secret signs from now on",
  response: endpointShape,
  success: 200,
  failures: ["secret_not_rotating"],
  handle: (call, deps) =>
    forwardSecretOnce(deps, call, {
      write: async () => {
        const wanted = { id: call.params.id, changedBy: call.caller.actor };
        const { endpoint } = await call.services.webhooks.activateSecret(wanted);
        return renderEndpoint(requireField(endpoint));
      },
    }),
});
