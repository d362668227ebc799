-- Adds how the request ended.
-- @param $1:id
-- @param $2:projectId
-- @param $3:week
-- @param $4:targetId?
-- @param $5:statusCode
-- @param $6:errorCode?
update audit_entries set target_id = $4, status_code = $5, error_code = $6
where project_id = $2 and id = $1 and week = $3
