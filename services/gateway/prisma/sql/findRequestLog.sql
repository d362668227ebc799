-- Finds the newest request with this id.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:requestId
select method, path, status_code, error_code, created_at from request_logs
where project_id = $1 and mode = $2 and request_id = $3
order by created_at desc limit 1
