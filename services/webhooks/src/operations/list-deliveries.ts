import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { listCost, type PageRequest, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type {
  GetDeliveryRequest,
  ListDeliveriesRequest,
  ListDeliveriesResponseSchema,
} from "@pay/proto";
import { type CallContext, parseTenant, type Tenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { parseDeliveryId, toDeliveryId } from "../domain/delivery-id.ts";
import { findLogStart } from "../generated/sql.ts";
import { toFullMessage, toMessage } from "../messages.ts";
import * as endpointLog from "../storage/endpoint-log.ts";
import { listEndpointIds } from "../storage/endpoints.ts";
import { readEndpoint } from "./read-endpoints.ts";
import { readDelivery } from "./redeliver.ts";

type Response = MessageInitShape<typeof ListDeliveriesResponseSchema>;

export function listDeliveries(
  deps: Deps,
  request: ListDeliveriesRequest,
  { deadline }: CallContext,
): Promise<Response> {
  const tenant = parseTenant(request.tenant);
  const page = parsePage(request.page);
  return deps.lists.take(tenant.projectId, { rows: listCost(page), deadline }, async (spend) => {
    const response = await listLogged(deps, tenant, { ...request, page });
    spend(readCost(Number(response.total)));
    return response;
  });
}

/** Of one endpoint, or of all of the tenant. */
async function listLogged(
  deps: Deps,
  tenant: Tenant,
  request: Omit<ListDeliveriesRequest, "page"> & { page: PageRequest },
) {
  const { endpointId, eventType, eventId, resourceId, state, from, to } = request;
  const { page, limit, after } = request.page;
  if (endpointId !== undefined) await readEndpoint(deps, tenant, endpointId);
  const endpointIds =
    endpointId === undefined ? await listEndpointIds(deps.db.pool, tenant) : [endpointId];
  const start =
    after === "" ? undefined : await findPageStart(deps, tenant, { endpointIds, id: after });
  const { rows, total } = await endpointLog.listLog(deps.lists.pool, tenant, {
    filter: {
      endpointIds,
      eventType,
      eventId,
      resourceId,
      state,
      from: from && timestampDate(from),
      to: to && timestampDate(to),
    },
    limit: limit + 1,
    offset: start === undefined ? (page - 1) * limit : 0,
    start,
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    deliveries: shown.map(toMessage),
    total: BigInt(total),
    nextAfter: last === undefined ? "" : toDeliveryId(last.id),
  };
}

async function findPageStart(
  { lists }: Deps,
  { projectId, mode }: Tenant,
  { endpointIds, id }: { endpointIds: string[]; id: string },
) {
  const uuid = parseDeliveryId(id);
  const [start] =
    uuid === undefined
      ? []
      : await findLogStart(lists.pool, { id: uuid, endpointIds, projectId, mode });
  if (start !== undefined) return start;
  throw new Failure("cursor_unknown", "after must be the id of an item of this list");
}

export async function getDelivery(deps: Deps, { tenant, endpointId, id }: GetDeliveryRequest) {
  const found = await readDelivery(deps, parseTenant(tenant), { endpointId, id });
  return { delivery: toFullMessage(found) };
}
