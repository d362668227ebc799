import type { WebhooksService } from "@pay/proto";
import type { Handlers } from "@pay/rpc";
import type { Deps } from "./deps.ts";
import { createDefaultEndpoint } from "./operations/create-default-endpoint.ts";
import { listDeliveries } from "./operations/list-deliveries.ts";

/** The whole surface of the service: each line names an operation. */
export const webhooksService = (deps: Deps): Handlers<typeof WebhooksService> => ({
  createDefaultEndpoint: (request) => createDefaultEndpoint(deps, request),
  listDeliveries: (request) => listDeliveries(deps, request),
});
