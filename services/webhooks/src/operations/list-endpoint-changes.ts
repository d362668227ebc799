import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { listCost, parsePage, readCost } from "@pay/database";
import type { ListEndpointChangesRequest } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { listEndpointChanges as listChanges } from "../storage/endpoint-changes.ts";
import { findEndpoint } from "../storage/endpoints.ts";
import { createEndpointNotFound } from "./read-endpoints.ts";

export async function listEndpointChanges(
  { db, lists }: Deps,
  request: ListEndpointChangesRequest,
  { deadline }: CallContext,
) {
  const tenant = parseTenant(request.tenant);
  const pageRequest = parsePage(request.page);
  const { page, limit } = pageRequest;
  const wanted = { endpointId: request.id, limit, offset: (page - 1) * limit };
  const cost = { rows: listCost(pageRequest), deadline };
  const { rows, total } = await lists.take(tenant.projectId, cost, async (spend) => {
    const found = await listChanges(lists.pool, tenant, wanted);
    spend(readCost(found.total));
    return found;
  });
  // A deleted endpoint has changes and no row.
  if (total === 0 && (await findEndpoint(db.pool, tenant, request.id)) === undefined) {
    throw createEndpointNotFound();
  }
  const changes = rows.map(({ change, url, happened_at, changed_by }) => ({
    change,
    happenedAt: timestampFromDate(happened_at),
    ...(url !== null && { url }),
    ...(changed_by !== null && { changedBy: changed_by }),
  }));
  return { changes, total: BigInt(total) };
}
