-- Gives a key its successor and its end.
-- @param $1:id
-- @param $2:projectId
-- @param $3:successorId
-- @param $4:expiresAt
update api_keys set successor_id = $3, expires_at = $4 where id = $1 and project_id = $2
