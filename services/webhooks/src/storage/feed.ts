// The feed of a project and mode with a filter. Without one it is the statement listFeed, which streams repeat.
import { condition, joinConditions, SEARCHED_MAX } from "@pay/database";
import { Failure } from "@pay/failures";
import type { Tenant } from "@pay/rpc";
import type { Pool } from "pg";
import type { ListFeedRow } from "../generated/sql.ts";

export interface FeedFilter {
  eventType: string | undefined;
  resourceId: string | undefined;
  from: Date | undefined;
  to: Date | undefined;
}

const TOO_MANY = `from and to must be closer together: these filters search at most ${SEARCHED_MAX} events, and the period has more`;

/** The beginning of the partition of a time. */
const DAY = "date_bin('24 hours', ?::timestamptz, '2000-01-01 00:00+00'::timestamptz)";

/** Those after a position in their order, and how many were read for them. */
export async function listFiltered(
  pool: Pool,
  { projectId, mode }: Tenant,
  {
    filter,
    after,
    newestFirst,
    limit,
  }: { filter: FeedFilter; after: bigint; newestFirst: boolean; limit: number },
): Promise<{ rows: ListFeedRow[]; searched: number }> {
  const { eventType, resourceId, from, to } = filter;
  const order = newestFirst ? "position desc" : "position";
  const values: unknown[] = [];
  const read = joinConditions(
    [
      ...condition("project_id = ?", projectId),
      ...condition("mode = ?::smallint", mode),
      ...condition(newestFirst ? "position < ?" : "position > ?", after.toString()),
      ...condition("resource_id = ?", resourceId),
      ...condition(`day >= ${DAY}`, from),
      ...condition(`day <= ${DAY}`, to),
    ],
    values,
  );
  const fits = joinConditions(
    [
      ...condition("type = ?", eventType),
      ...condition("received_at >= ?::timestamptz", from),
      ...condition("received_at <= ?::timestamptz", to),
    ],
    values,
  );
  const own = joinConditions(
    [
      ...condition("event.project_id = ?", projectId),
      ...condition("event.mode = ?::smallint", mode),
    ],
    values,
  );
  const text = `
    with searched as materialized (
      select position, day, ${fits} as fits from events where ${read} order by ${order} limit ${SEARCHED_MAX + 1}
    ), found as materialized (
      select position, day from searched where fits order by ${order} limit $${values.push(limit)}
    )
    select (select count(*) from searched)::int as searched, page.*
    from (select) as always left join (
      select event.id, event.type, event.resource_id, event.sequence, event.occurred_at, event.body, event.position
      from found join events event on event.position = found.position and event.day = found.day and ${own}
    ) page on true
    order by page.${order}`;
  const found = await pool.query<ListFeedRow & { searched: number }>(text, values);
  const rows = found.rows.filter(({ id }) => id !== null);
  const searched = found.rows[0]?.searched ?? 0;
  if (searched > SEARCHED_MAX && rows.length < limit) throw new Failure("field_invalid", TOO_MANY);
  return { rows, searched };
}
