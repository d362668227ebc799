-- Stores why a replay failed, and ends the request.
-- @param $1:id
-- @param $2:error
update dead_letters set replay_at = null, error = $2 where id = $1
