// A jump to a far page. The counts by day and hour say in which hour the page begins, or in which day where that had so few
// payments that its hours are not kept. The rows before it are not read. The counts come from the statement of the page,
// so they are exact.
import { allOf, condition } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import { coarse, type Filter, hasFine, stretchOf, tenantIs } from "./conditions.ts";
import { hasHours, SOURCES } from "./total.ts";

/** Below it, reading the rows costs no more than finding the hour. */
const OFFSET_MIN = 300;

export interface Jump {
  /** A common table expression: ends_at of the hour or day, and how many of its rows come before the page. */
  hour: string;
}

/** False where the counts cannot answer, or need not. */
export function isJump(offset: number, filter: Filter): boolean {
  const { from, before } = stretchOf(filter);
  return offset >= OFFSET_MIN && !from && !before && !hasFine(filter);
}

export function jumpTo(
  offset: number,
  { tenant, filter }: { tenant: Tenant; filter: Filter },
  values: unknown[],
): Jump | undefined {
  if (!isJump(offset, filter)) return undefined;
  const kept = [...tenantIs(tenant), ...coarse(filter)];
  const days = SOURCES.day.map(
    (source) =>
      `select date_trunc('day', since, 'UTC') as since, payments from payment_spans
       where ${allOf([...kept, ...source], values)}`,
  );
  const hours = allOf([...kept, ...condition("grain = ?", "hour")], values);
  const skipped = `$${values.push(offset)}::bigint`;
  return {
    hour: `day as materialized (
      select since, skipped from (
        select since, sum(sum(payments)) over (order by since desc) - sum(payments) as skipped
        from (${days.join(" union all ")}) days group by since
      ) running where skipped <= ${skipped} order by since limit 1
    ), hourly as materialized (
      select ${hasHours("(select since from day)", kept, values)} as kept
    ), hour as materialized (
      select since + interval '1 day' as ends_at, ${skipped} - skipped as rows_left from day
      where not (select kept from hourly)
      union all (select since + interval '1 hour' as ends_at, ${skipped} - skipped as rows_left from (
        select since, (select skipped from day)
          + sum(sum(payments)) over (order by since desc) - sum(payments) as skipped
        from payment_spans where (select kept from hourly) and ${hours} and since >= (select since from day)
          and since < (select since from day) + interval '1 day'
        group by since
      ) running where skipped <= ${skipped} order by since limit 1)
    )`,
  };
}
