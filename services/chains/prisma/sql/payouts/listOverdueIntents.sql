-- Lists intents that were never signed in time, the oldest first.
-- @param $1:before
-- @param $2:max
select i.* from intents i where state = 'waiting' and created_at < $1 order by created_at limit $2
