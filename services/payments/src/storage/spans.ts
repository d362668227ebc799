// The counts of payments by hour and day. Triggers add to the shards of an hour from 1 on. Once a day is over, a job rolls
// them up into shard 0 of the day, and of each hour where the day had many payments; other days are counted faster than kept.
// Totals are exact before, during and after: a round is one transaction, and a pending shard counts for its hour and its day.
import type { ClientBase } from "pg";

/** A day of a project with more payments keeps its hours; so many rows of an index are counted in a millisecond. */
export const HOURS_ABOVE = 1_000;

const KEY = "project_id, mode, grain, since, variant, status, chain_id, shard";

// A list tells whether a day has its hours by comparing two sums, so no part of a day may be folded without the rest: the
// statement needs the one snapshot of a repeatable read. Rows are locked in the order in which the triggers take them.
const FOLD = {
  name: "fold-spans",
  text: `
    with oldest as (
      select project_id, mode, since from payment_counts where shard > 0 and since < $1
      order by since, project_id, mode limit $2
    ), due as (
      select distinct project_id, mode, date_trunc('day', since, 'UTC') as day from oldest
    ), locked as (
      select due.day, span.* from due
      join payment_counts span on span.project_id = due.project_id and span.mode = due.mode and span.grain = 'hour'
        and span.since >= due.day and span.since < due.day + interval '1 day' and span.shard > 0
      order by ${KEY.replaceAll(/\w+/g, "span.$&")} for update of span
    ), shards as (
      delete from payment_counts span using locked
      where ${KEY.replaceAll(/\w+/g, "span.$& = locked.$&").replaceAll(",", " and")}
      returning locked.*
    ), sized as (
      select shards.*, sum(payments) over (partition by project_id, mode, day) + coalesce((
          select sum(kept.payments) from payment_counts kept where kept.project_id = shards.project_id
            and kept.mode = shards.mode and kept.grain = 'day' and kept.since = shards.day
        ), 0) > $3::bigint as has_hours
      from shards
    ), parts as (
      select project_id, mode, part.grain, case part.grain when 'day' then day else since end as since,
        variant, status, chain_id, payments
      from sized cross join (values ('day'), ('hour')) part (grain) where part.grain = 'day' or has_hours
    ), folded as (
      insert into payment_counts as kept (${KEY}, payments)
      select project_id, mode, grain, since, variant, status, chain_id, 0, sum(payments)
      from parts group by 1, 2, 3, 4, 5, 6, 7 having sum(payments) <> 0 order by 1, 2, 3, 4, 5, 6, 7
      on conflict (${KEY}) do update set payments = kept.payments + excluded.payments
    ), left_out as (
      delete from payment_counts span
      using (select distinct project_id, mode, day from sized where not has_hours) small
      where span.project_id = small.project_id and span.mode = small.mode and span.grain = 'hour'
        and span.since >= small.day and span.since < small.day + interval '1 day' and span.shard = 0
    )
    select project_id, mode, day, (select count(*)::int from oldest) as found from due`,
};

const DELETE_ZEROS = {
  name: "delete-zero-spans",
  text: `
    delete from payment_counts span using unnest($1::text[], $2::smallint[], $3::timestamptz[]) as due (project_id, mode, day)
    where span.project_id = due.project_id and span.mode = due.mode and span.grain in ('day', 'hour')
      and span.since >= due.day and span.since < due.day + interval '1 day'
      and span.shard = 0 and span.payments = 0`,
};

export interface FoldRound {
  /** Days that ended before. */
  before: Date;
  /** How many shards are looked for; those of the same days are folded with them. */
  most: number;
  hoursAbove: number;
}

/** One bounded round in a transaction of one snapshot. Returns false when nothing was left out. */
export async function foldSpans(
  tx: ClientBase,
  { before, most, hoursAbove }: FoldRound,
): Promise<boolean> {
  const midnight = new Date(before);
  midnight.setUTCHours(0, 0, 0, 0);
  const { rows } = await tx.query<{ project_id: string; mode: number; day: Date; found: number }>({
    ...FOLD,
    values: [midnight, most, hoursAbove],
  });
  const values = [
    rows.map(({ project_id }) => project_id),
    rows.map(({ mode }) => mode),
    rows.map(({ day }) => day),
  ];
  if (rows.length > 0) await tx.query({ ...DELETE_ZEROS, values });
  return rows[0]?.found === most;
}
