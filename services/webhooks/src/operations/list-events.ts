import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { pageOf } from "@pay/database";
import { Failure } from "@pay/failures";
import type { ListEventsRequest } from "@pay/proto";
import { tenantOf } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findPosition, listFeed } from "../storage/events.ts";

export async function listEvents({ db }: Deps, request: ListEventsRequest) {
  const tenant = tenantOf(request.tenant);
  const { limit, after } = pageOf({ page: 1, limit: request.limit, after: request.after });
  const position = after === "" ? "0" : await findPosition(db.pool, tenant, after);
  if (position === undefined) {
    throw new Failure("cursor_unknown", "after must be the id of an event that is still kept");
  }
  const rows = await listFeed(db.pool, tenant, { after: position, limit: limit + 1 });
  const events = rows.slice(0, limit).map((row) => ({
    ...{ id: row.id, type: row.type, resourceId: row.resource_id, sequence: row.sequence },
    occurredAt: timestampFromDate(row.occurred_at),
    body: row.body,
  }));
  return { events, hasMore: rows.length > limit };
}
