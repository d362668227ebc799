// A jump to a far page. The counts by day and hour give the hour in which the page begins, and its payments are
// counted by the second. All of it is in the statement of the page, so it is exact.
import { condition, joinConditions } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { buildCoarse, type Filter, getPeriod, hasFineFilter, tenantIs } from "./conditions.ts";
import { buildSecondCounts } from "./list-by-status.ts";
import { isSearch } from "./search.ts";
import { hasHours, SOURCES } from "./total.ts";

/** Below it, reading the rows costs no more than finding the hour. */
const OFFSET_MIN = 300;

/** Most pages lie within so many days, so earlier days are added up only where needed. */
const RECENT_DAYS = 30;

export interface Jump {
  /**
   * Common table expressions; `place` has ends_at of the second and rows_left, the number of its rows before the
   * page.
   */
  place: string;
  /** The number of rows that were counted one by one, as an expression. */
  counted: string;
}

/** False where the counts cannot answer, or need not. */
export function isJump(offset: number, filter: Filter): boolean {
  const { from, before } = getPeriod(filter);
  return offset >= OFFSET_MIN && !from && !before && !hasFineFilter(filter) && !isSearch(filter);
}

export function jumpTo(
  offset: number,
  { tenant, filter }: { tenant: Tenant; filter: Filter },
  values: unknown[],
): Jump | undefined {
  if (!isJump(offset, filter)) return undefined;
  const kept = [...tenantIs(tenant), ...buildCoarse(filter)];
  const skipped = `$${values.push(offset)}::bigint`;
  function daysSince(since: string): string {
    const all = SOURCES.day.map(
      (source) => `select date_trunc('day', since, 'UTC') as since, payments from payment_counts
        where ${joinConditions([...kept, ...source], values)} and since >= ${since}`,
    );
    return `(${all.join(" union all ")}) days`;
  }

  const recent = `date_trunc('day', statement_timestamp() - interval '${RECENT_DAYS} days', 'UTC')`;
  const hours = joinConditions([...kept, ...condition("grain = ?", "hour")], values);
  return {
    place: `recent as materialized (
      select case when sum(payments) > ${skipped} then ${recent} else '-infinity' end as since
      from ${daysSince(recent)}
    ), day as materialized (
      select since, payments, skipped from (
        select since, sum(payments) as payments, sum(sum(payments)) over (order by since desc) - sum(payments) as skipped
        from ${daysSince("(select since from recent)")} group by since
      ) running where skipped <= ${skipped} order by since limit 1
    ), hourly as materialized (
      select ${hasHours("(select since from day)", kept, values)} as kept
    ), span as materialized (
      select since, since + interval '1 day' as ends_at, payments, skipped from day where not (select kept from hourly)
      union all (select since, since + interval '1 hour' as ends_at, payments, skipped from (
        select since, sum(payments) as payments, (select skipped from day)
          + sum(sum(payments)) over (order by since desc) - sum(payments) as skipped
        from payment_counts where (select kept from hourly) and ${hours} and since >= (select since from day)
          and since < (select since from day) + interval '1 day'
        group by since
      ) running where skipped <= ${skipped} order by since limit 1)
    ), hour as materialized (
      select since, ends_at, payments, ${skipped} - skipped as rows_left, (${skipped} - skipped) * 2 < payments as is_near
      from span where ${skipped} - skipped < payments
    ), second as materialized (${buildSecondCounts(tenant, values)}
    ), place as materialized (
      select running.since + interval '1 second' as ends_at, rows_left - skipped as rows_left from hour cross join (
        select second.since, case when is_near then sum(second.payments) over (order by second.since desc) - second.payments
          else hour.payments - sum(second.payments) over (order by second.since) end as skipped from second cross join hour
      ) running where skipped <= rows_left order by running.since limit 1
    )`,
    counted: "(select coalesce(sum(payments), 0) from second)",
  };
}
