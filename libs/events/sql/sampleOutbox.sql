-- Counts the events that wait for the bus up to a bound, and finds the ages that its gauges show.
-- @param $1:floor No event has an id up to this one.
-- @param $2:countMax
select
  (select count(*)::int from (select from outbox where id > $1 order by id limit $2) counted) as "waiting!",
  coalesce((select extract(epoch from now() - created_at)::float8
    from outbox where id > $1 order by id limit 1), 0) as "age!",
  pg_stat_get_dead_tuples('outbox'::regclass)::int as "dead!",
  (select coalesce(max(extract(epoch from now() - xact_start)), 0)::float8 from pg_stat_activity
    where backend_xmin is not null and datname = current_database()) as "snapshot!"
