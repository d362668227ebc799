import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { pageCost, parsePage, readCost } from "@pay/database";
import { Failure } from "@pay/failures";
import type { ListEventsRequest, ListFeedPositionsRequest } from "@pay/proto";
import { type CallContext, parseTenant } from "@pay/rpc";
import type { Deps } from "../deps.ts";
import {
  findPosition,
  listFeed,
  listNewestFeed,
  listFeedPositions as listPositions,
} from "../generated/sql.ts";
import { type FeedFilter, listFiltered } from "../storage/feed.ts";

const FEEDS_MAX = 1_000;
const FEED_START = { position: 0n };
/** Beyond the position of every event. */
const FEED_END = { position: 2n ** 63n - 1n };

export async function listEvents(
  { lists }: Deps,
  request: ListEventsRequest,
  { deadline }: CallContext,
) {
  const { projectId, mode } = parseTenant(request.tenant);
  const { limit, after } = parsePage({ page: 1, limit: request.limit, after: request.after });
  const cost = { rows: pageCost({ limit, skipped: 0 }), deadline };
  const filter = readFilter(request);
  const { newestFirst, withoutBodies } = request;
  const rows = await lists.take(projectId, cost, async (spend) => {
    const first = newestFirst ? FEED_END : FEED_START;
    const [start] =
      after === "" ? [first] : await findPosition(lists.pool, { id: after, projectId, mode });
    if (start === undefined || start.position === null) {
      throw new Failure("cursor_unknown", "after must be the id of a stored event");
    }
    const { position } = start;
    if (filter === undefined) {
      const page = { projectId, mode, limit: limit + 1 };
      return newestFirst
        ? listNewestFeed(lists.pool, { ...page, before: position })
        : listFeed(lists.pool, { ...page, after: position, withBodies: !withoutBodies });
    }
    const wanted = { filter, after: position, newestFirst, limit: limit + 1 };
    const found = await listFiltered(lists.pool, { projectId, mode }, wanted);
    spend(readCost(found.searched));
    return found.rows;
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

/** Undefined where all events are wanted. */
function readFilter({ eventType, resourceId, from, to }: ListEventsRequest) {
  const filter: FeedFilter = {
    eventType,
    resourceId,
    from: from && timestampDate(from),
    to: to && timestampDate(to),
  };
  return Object.values(filter).some((value) => value !== undefined) ? filter : undefined;
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
