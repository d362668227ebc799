-- Requests that the consumer handles a dead letter again.
-- @param $1:id
update dead_letters set replay_at = now() where id = $1
