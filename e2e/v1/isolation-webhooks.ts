// The rows of the webhooks service: its rpcs on things of one side.
import { expect } from "@jest/globals";
import { FIRST_PAGE, type Row } from "./isolation-row.ts";
import { ENDPOINT } from "./product.ts";

export const WEBHOOK_ROWS = {
  "webhooks.v1.WebhooksService/PutDefaultEndpoint": {
    request: () => ({ projectVersion: 0, showSecret: true }),
    stranger: { endpointId: expect.stringMatching(/^we_/) },
  },
  "webhooks.v1.WebhooksService/CreateEndpoint": {
    request: () => ({ ...ENDPOINT, signatureScheme: "v1", enabled: false }),
    stranger: { secret: expect.stringMatching(/^whsec_/) },
  },
  "webhooks.v1.WebhooksService/GetEndpoint": {
    request: ({ ids }) => ({ id: ids.we }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/ListEndpoints": {
    request: () => ({ page: FIRST_PAGE }),
    stranger: {},
  },
  "webhooks.v1.WebhooksService/ListFailingEndpoints": {
    request: () => ({}),
    stranger: {},
  },
  "webhooks.v1.WebhooksService/ListEndpointHealth": {
    request: () => ({}),
    stranger: {},
  },
  "webhooks.v1.WebhooksService/UpdateEndpoint": {
    request: ({ ids }) => ({ id: ids.we, enabled: false }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/DeleteEndpoint": {
    request: ({ ids }) => ({ id: ids.we }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/ListEndpointChanges": {
    request: ({ ids }) => ({ id: ids.we, page: FIRST_PAGE }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/RotateSecret": {
    request: ({ ids }) => ({ id: ids.we, overlapSeconds: 60 }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/ActivateSecret": {
    request: ({ ids }) => ({ id: ids.we }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/PingEndpoint": {
    request: ({ ids }) => ({ id: ids.we }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/RecoverEndpoint": {
    request: ({ ids }) => ({ id: ids.we, since: { seconds: 0n, nanos: 0 } }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/GetDelivery": {
    request: ({ ids }) => ({ endpointId: ids.we, id: ids.del }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/Redeliver": {
    request: ({ ids }) => ({ endpointId: ids.we, id: ids.del }),
    stranger: "not_found",
  },
  "webhooks.v1.WebhooksService/ListEvents": {
    request: () => ({ after: "", limit: 100 }),
    stranger: {},
  },
  "webhooks.v1.WebhooksService/ListFeedPositions": { request: () => ({}), stranger: {} },
  "webhooks.v1.WebhooksService/ListDeliveries": {
    request: ({ ids }) => ({ page: FIRST_PAGE, endpointId: ids.we, resourceId: ids.pay }),
    stranger: "not_found",
  },
} satisfies Record<string, Row>;
