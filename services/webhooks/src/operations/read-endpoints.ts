import { parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type { GetEndpointRequest, ListEndpointsRequest } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toEndpoint } from "../messages.ts";
import { findEndpoint, listEndpoints as list } from "../storage/endpoints.ts";

export async function readEndpoint({ db }: Deps, tenant: Tenant, id: string) {
  const endpoint = await findEndpoint(db.pool, tenant, id);
  if (endpoint === undefined) throw createEndpointNotFound();
  return { endpoint: toEndpoint(endpoint) };
}

export function getEndpoint(deps: Deps, { tenant, id }: GetEndpointRequest) {
  return readEndpoint(deps, parseTenant(tenant), id);
}

export async function listEndpoints({ db }: Deps, { tenant, page }: ListEndpointsRequest) {
  const { rows, total, nextAfter } = await list(db.pool, parseTenant(tenant), parsePage(page));
  return { endpoints: rows.map(toEndpoint), total: BigInt(total), nextAfter };
}

export function createEndpointNotFound(): Failure {
  return new Failure("endpoint_not_found", "Webhook endpoint not found");
}

export function createDeliveryNotFound(): Failure {
  return new Failure("delivery_not_found", "Delivery not found");
}

export function createEndpointDisabled(): Failure {
  return new Failure("endpoint_disabled", "Webhook endpoint is disabled");
}
