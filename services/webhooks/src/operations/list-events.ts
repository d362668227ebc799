import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { pageCost, parsePage } from "@pay/database";
import { Failure } from "@pay/failures";
import type { ListEventsRequest, ListFeedPositionsRequest } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import { findPosition, listFeed, listFeedPositions as listPositions } from "../generated/sql.ts";

const FEEDS_MAX = 1_000;
const FEED_START = { position: 0n };

export async function listEvents(
  { lists }: Deps,
  request: ListEventsRequest,
  { deadline }: CallContext,
) {
  const { projectId, mode } = parseTenant(request.tenant);
  const { limit, after } = parsePage({ page: 1, limit: request.limit, after: request.after });
  const cost = { rows: pageCost({ limit, skipped: 0 }), deadline };
  const rows = await lists.take(projectId, cost, async () => {
    const [start] =
      after === "" ? [FEED_START] : await findPosition(lists.pool, { id: after, projectId, mode });
    if (start === undefined || start.position === null) {
      throw new Failure("cursor_unknown", "after must be the id of a stored event");
    }
    return listFeed(lists.pool, { projectId, mode, after: start.position, limit: limit + 1 });
  });
  const events = rows.slice(0, limit).map((row) => ({
    id: row.id,
    type: row.type,
    resourceId: row.resource_id,
    sequence: row.sequence,
    occurredAt: timestampFromDate(row.occurred_at),
    body: row.body,
  }));
  return { events, hasMore: rows.length > limit };
}

/** Tells a reader of many feeds in one call which of them have new events. */
export async function listFeedPositions({ db }: Deps, { feeds }: ListFeedPositionsRequest) {
  if (feeds.length > FEEDS_MAX) {
    throw new Failure("call_malformed", `feeds must be at most ${FEEDS_MAX}`);
  }
  if (feeds.length === 0) return { positions: [] };
  const rows = await listPositions(db.pool, {
    feeds: feeds.map(({ tenant }, place) => {
      const { projectId, mode } = parseTenant(tenant);
      return { project_id: projectId, mode, place };
    }),
  });
  return { positions: rows.map(({ position }) => position) };
}
