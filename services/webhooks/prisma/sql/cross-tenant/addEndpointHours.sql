-- Adds attempts to the present hour of their endpoints.
-- @param {Json} $1:attempts
-- @param $2:worker
insert into endpoint_hours (endpoint_id, hour, worker, succeeded, failed)
select endpoint_id, date_trunc('hour', now(), 'UTC'), $2, succeeded, failed
from json_to_recordset($1) as attempts (endpoint_id text, succeeded int, failed int)
on conflict (endpoint_id, hour, worker) do update
  set succeeded = endpoint_hours.succeeded + excluded.succeeded, failed = endpoint_hours.failed + excluded.failed
