-- Rolls the pending counts of days that are over up into one row for each kind of the day, and of each hour where the
-- day has many payments. A list compares two sums to know whether a day has its hours, so a day is rolled up as a
-- whole: the statement needs the one snapshot of a repeatable read. Rows are locked in the order in which the
-- triggers take them.
-- @param $1:before The day that is not over yet.
-- @param $2:limit Of pending counts; those of the same days follow.
-- @param $3:hoursAbove
with oldest as (
  select project_id, mode, since from payment_counts where shard > 0 and since < $1
  order by since, project_id, mode limit $2
), due as (
  select distinct project_id, mode, date_trunc('day', since, 'UTC') as day from oldest
), locked as (
  select due.day, pending.* from due
  join payment_counts pending on pending.project_id = due.project_id and pending.mode = due.mode
    and pending.grain = 'hour' and pending.since >= due.day and pending.since < due.day + interval '1 day' and pending.shard > 0
  order by pending.project_id, pending.mode, pending.grain, pending.since, pending.variant, pending.status,
    pending.chain_id, pending.shard for update of pending
), removed as (
  delete from payment_counts counted using locked
  where counted.project_id = locked.project_id and counted.mode = locked.mode and counted.grain = locked.grain
    and counted.since = locked.since and counted.variant = locked.variant and counted.status = locked.status
    and counted.chain_id = locked.chain_id and counted.shard = locked.shard
  returning locked.*
), sized as (
  select removed.*, sum(payments) over (partition by project_id, mode, day) + coalesce((
      select sum(kept.payments) from payment_counts kept where kept.project_id = removed.project_id
        and kept.mode = removed.mode and kept.grain = 'day' and kept.since = removed.day
    ), 0) > $3::bigint as has_hours
  from removed
), parts as (
  select project_id, mode, part.grain, case part.grain when 'day' then day else since end as since,
    variant, status, chain_id, payments
  from sized cross join (values ('day'), ('hour')) part (grain) where part.grain = 'day' or has_hours
), rolled_up as (
  insert into payment_counts as kept (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, grain, since, variant, status, chain_id, 0, sum(payments)
  from parts group by 1, 2, 3, 4, 5, 6, 7 having sum(payments) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = kept.payments + excluded.payments
), left_out as (
  delete from payment_counts counted
  using (select distinct project_id, mode, day from sized where not has_hours) small
  where counted.project_id = small.project_id and counted.mode = small.mode and counted.grain = 'hour'
    and counted.since >= small.day and counted.since < small.day + interval '1 day' and counted.shard = 0
)
select project_id, mode, day as "day!", (select count(*)::int from oldest) as "found!" from due
