-- Deletes dead letters that are too old, in one bounded round.
-- @param $1:days
-- @param $2:limit
delete from dead_letters where id in (
  select id from dead_letters where created_at < now() - make_interval(days => $1) order by id limit $2)
