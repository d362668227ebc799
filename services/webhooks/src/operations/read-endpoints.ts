import { parsePage } from "@pay/database";
import type { GetEndpointRequest, ListEndpointsRequest } from "@pay/proto";
import { parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { toEndpoint } from "../messages.ts";
import { findEndpoint, listEndpoints as list } from "../storage/merchant-endpoints.ts";
import { endpointNotFound } from "./endpoint-failures.ts";

export async function readEndpoint({ db }: Deps, tenant: Tenant, id: string) {
  const endpoint = await findEndpoint(db.pool, tenant, id);
  if (endpoint === undefined) throw endpointNotFound();
  return { endpoint: toEndpoint(endpoint) };
}

export function getEndpoint(deps: Deps, { tenant, id }: GetEndpointRequest) {
  return readEndpoint(deps, parseTenant(tenant), id);
}

export async function listEndpoints({ db }: Deps, { tenant, page }: ListEndpointsRequest) {
  const { rows, total, nextAfter } = await list(db.pool, parseTenant(tenant), parsePage(page));
  return { endpoints: rows.map(toEndpoint), total: BigInt(total), nextAfter };
}
