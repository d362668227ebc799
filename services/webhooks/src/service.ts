import type { WebhooksService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { deleteEndpoint, updateEndpoint } from "./operations/change-endpoint.ts";
import { createEndpoint } from "./operations/create-endpoint.ts";
import { createDefaultEndpoint, putDefaultEndpoint } from "./operations/default-endpoint.ts";
import { getDelivery, listDeliveries } from "./operations/list-deliveries.ts";
import { listEndpointChanges } from "./operations/list-endpoint-changes.ts";
import { listEvents, listFeedPositions } from "./operations/list-events.ts";
import { pingEndpoint } from "./operations/ping-endpoint.ts";
import {
  getEndpoint,
  listEndpointHealth,
  listEndpoints,
  listFailingEndpoints,
} from "./operations/read-endpoints.ts";
import { recoverEndpoint, redeliver } from "./operations/redeliver.ts";
import { activateSecret, rotateSecret } from "./operations/rotate-secret.ts";

/** The operation of each rpc. */
export function webhooksService(deps: Deps): Handlers<typeof WebhooksService> {
  return {
    createDefaultEndpoint: (request) => createDefaultEndpoint(deps, request),
    putDefaultEndpoint: (request) => putDefaultEndpoint(deps, request),
    createEndpoint: (request) => createEndpoint(deps, request),
    getEndpoint: (request) => getEndpoint(deps, request),
    listEndpoints: (request) => listEndpoints(deps, request),
    listFailingEndpoints: (request) => listFailingEndpoints(deps, request),
    listEndpointHealth: (request) => listEndpointHealth(deps, request),
    updateEndpoint: (request) => updateEndpoint(deps, request),
    deleteEndpoint: (request) => deleteEndpoint(deps, request),
    listEndpointChanges: (request, context) => listEndpointChanges(deps, request, context),
    rotateSecret: (request) => rotateSecret(deps, request),
    activateSecret: (request) => activateSecret(deps, request),
    pingEndpoint: (request) => pingEndpoint(deps, request),
    recoverEndpoint: (request) => recoverEndpoint(deps, request),
    listDeliveries: (request, context) => listDeliveries(deps, request, context),
    getDelivery: (request) => getDelivery(deps, request),
    redeliver: (request) => redeliver(deps, request),
    listEvents: (request, context) => listEvents(deps, request, context),
    listFeedPositions: (request) => listFeedPositions(deps, request),
  };
}
