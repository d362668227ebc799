import { Failure } from "@pay/failures";
import type { DeleteEndpointRequest, UpdateEndpointRequest } from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toEndpoint } from "../messages.ts";
import { changeEndpoint } from "../storage/endpoint-changes.ts";
import * as endpoints from "../storage/endpoints.ts";
import { createEndpointNotFound } from "./read-endpoints.ts";

/** The url of a default endpoint is the project's callbackUrl and changes only with it. */
export async function updateEndpoint({ db }: Deps, request: UpdateEndpointRequest) {
  const tenant = parseTenant(request.tenant);
  const { id, url, events, signatureScheme, concurrencyMax, enabled, changedBy } = request;
  if (url !== undefined) {
    const before = await endpoints.findEndpoint(db.pool, tenant, id);
    if (before !== undefined && before.name !== null && before.url !== url) {
      throw createDefaultEndpointFailure("its url is the project's callbackUrl");
    }
  }
  const change = { id, url, events: events?.events, signatureScheme, concurrencyMax, enabled };
  const endpoint = await changeEndpoint(db.pool, changedBy, (tx) =>
    endpoints.updateEndpoint(tx, tenant, change),
  );
  if (endpoint === undefined) throw createEndpointNotFound();
  return { endpoint: toEndpoint(endpoint) };
}

/** Pending deliveries end at their next attempt; the log stays. */
export async function deleteEndpoint({ db }: Deps, request: DeleteEndpointRequest) {
  const tenant = parseTenant(request.tenant);
  const { id, changedBy } = request;
  const isDeleted = await changeEndpoint(db.pool, changedBy, (tx) =>
    endpoints.deleteEndpoint(tx, tenant, id),
  );
  if (isDeleted) return { id };
  if ((await endpoints.findEndpoint(db.pool, tenant, id)) === undefined)
    throw createEndpointNotFound();
  throw createDefaultEndpointFailure("it is removed by a callbackUrl of null");
}

function createDefaultEndpointFailure(consequence: string): Failure {
  return new Failure("endpoint_default", `This is the project's default endpoint: ${consequence}`);
}
