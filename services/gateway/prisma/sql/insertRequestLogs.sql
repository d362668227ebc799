-- Stores requests for the request log.
-- @param {Json} $1:requests
insert into request_logs
  (project_id, id, mode, actor, method, route, path, status_code, error_code, duration_ms, request_id, created_at)
select project_id, id, mode, actor, method, route, path, status_code, error_code, duration_ms, request_id, created_at
from json_to_recordset($1) as request (
  project_id text, id text, mode text, actor text /* null */, method text, route text, path text, status_code smallint,
  error_code text /* null */, duration_ms integer, request_id text, created_at timestamptz)
