import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { EVENT_ID } from "../example-values.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";
import { getPage, renderPage } from "../page.ts";
import { listShape, requireField } from "../response-fields.ts";
import { endpointHealthList, renderEndpointHealth } from "./health-response.ts";
import { changePages, deliveryFilters, recovery } from "./request.ts";
import {
  changeShape,
  deliveryItem,
  deliveryShape,
  renderChange,
  renderDelivery,
  renderListedDelivery,
} from "./response.ts";

const deliveries = {
  auth: "secret",
  tag: "Webhook endpoints",
  limit: "standard",
  id: { prefix: "we", noun: "Webhook endpoint" },
  success: 200,
} as const;
const reading = { ...deliveries, scope: "webhooks:read" } as const;
const sending = { ...deliveries, scope: "webhooks:write" } as const;

const deliveryList = listShape("WebhookEndpointDeliveryList", deliveryItem);

export const pingEndpointRoute = route({
  ...sending,
  summary: "Send a ping event to this endpoint",
  response: z
    .strictObject({
      eventId: shown.string("Id of the event, the same for all attempts.", EVENT_ID),
      deliveryId: shown.string("Id of the delivery.", "del_8sN2xKcW7hRz9L4mYb1fJtQv"),
    })
    .meta({ id: "WebhookEndpointPing" }),
  failures: ["endpoint_disabled"],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      write: async () => {
        const sent = await call.services.webhooks.pingEndpoint({ id: call.params.id });
        return { eventId: sent.eventId, deliveryId: sent.deliveryId };
      },
    }),
});

export const recoverEndpointRoute = route({
  ...sending,
  summary: "Redeliver failed and parked deliveries since a time, at most 10000",
  example: { request: { dryRun: true } },
  body: recovery,
  response: z
    .strictObject({
      count: shown.integer(
        "Number of deliveries that are sent again, or would be with `dryRun`.",
        3,
      ),
    })
    .meta({ id: "WebhookEndpointRecover" }),
  failures: ["endpoint_disabled"],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      write: async () => {
        const { since, until, dryRun = false } = call.body;
        const wanted = {
          id: call.params.id,
          since: timestampFromDate(since),
          until: until && timestampFromDate(until),
          dryRun,
        };
        return { count: (await call.services.webhooks.recoverEndpoint(wanted)).count };
      },
    }),
});

export const listChangesRoute = route({
  ...reading,
  summary: "List the changes of a webhook endpoint, newest first, also after its deletion",
  query: changePages,
  response: listShape("WebhookEndpointChangeList", changeShape),
  handle: async (call) => {
    const { id } = call.params;
    const { changes, total } = await call.services.webhooks.listEndpointChanges({
      id,
      page: getPage(call.query),
    });
    return renderPage(call, { total, nextAfter: "" }, changes.map(renderChange));
  },
});

export const listDeliveriesRoute = route({
  ...reading,
  summary: "List an endpoint's deliveries, newest first; the total stops at 10000",
  query: deliveryFilters,
  response: deliveryList,
  handle: (call) => listDeliveries(call, call.params.id),
});

export const listAllDeliveriesRoute = route({
  auth: "secret",
  tag: "Webhook endpoints",
  limit: "standard",
  success: 200,
  scope: "webhooks:read",
  summary: "List the deliveries of all endpoints, newest first; the total stops at 10000",
  query: deliveryFilters.extend({
    endpointId: field.getId("we").optional().describe("Id of the endpoint."),
  }),
  response: deliveryList,
  failures: ["endpoint_not_found"],
  handle: (call) => listDeliveries(call, call.query.endpointId),
});

export const readDeliveryHealthRoute = route({
  auth: "secret",
  tag: "Webhook endpoints",
  limit: "standard",
  success: 200,
  scope: "webhooks:read",
  summary: "Read the attempts of the last 24 hours, by endpoint and hour",
  response: endpointHealthList,
  handle: async ({ services }) => {
    const { endpoints } = await services.webhooks.listEndpointHealth({});
    return { data: endpoints.map(renderEndpointHealth) };
  },
});

/** Of one endpoint, or of all of the key's mode. */
async function listDeliveries(
  call: Call<z.output<typeof deliveryFilters>>,
  endpointId: string | undefined,
) {
  const { state, type: eventType, eventId, resourceId, from, to } = call.query;
  const answer = await call.services.webhooks.listDeliveries({
    page: getPage(call.query),
    endpointId,
    state,
    eventType,
    eventId,
    resourceId,
    from: from && timestampFromDate(from),
    to: to && timestampFromDate(to),
  });
  return renderPage(call, answer, answer.deliveries.map(renderListedDelivery));
}

export const readDeliveryRoute = route({
  ...reading,
  summary: "Read a delivery with its body and the response of every attempt",
  response: deliveryShape,
  failures: ["delivery_not_found"],
  handle: async ({ params, services }) => {
    const wanted = { endpointId: params.id, id: params.deliveryId };
    return renderDelivery(requireField((await services.webhooks.getDelivery(wanted)).delivery));
  },
});

export const redeliverRoute = route({
  ...sending,
  summary: "Redeliver a finished delivery: same event and body, new attempts",
  example: { response: { state: "pending", redeliveries: 1, attempts: [] } },
  response: deliveryShape,
  failures: ["delivery_not_found", "delivery_pending", "endpoint_disabled"],
  handle: (call, deps) =>
    forwardOnce(deps, call, {
      write: async () => {
        const wanted = { endpointId: call.params.id, id: call.params.deliveryId };
        return renderDelivery(
          requireField((await call.services.webhooks.redeliver(wanted)).delivery),
        );
      },
    }),
});
