-- Writes the heartbeat of a worker and removes workers that are silent for longer than given.
-- @param $1:worker
-- @param $2:silentMs? Without it no worker is removed.
with beaten as (
  update workers set heartbeat_at = now() where id = $1 returning id
), removed as (
  delete from workers where id <> $1 and heartbeat_at < now() - $2::float8 * interval '1 millisecond' returning id
)
select (select count(*) from beaten)::int as "beaten!", (select count(*) from removed)::int as "removed!",
  array(select id from workers where id not in (select id from removed) order by id) as "workers!"
