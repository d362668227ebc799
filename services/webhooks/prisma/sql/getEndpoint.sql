-- Finds an endpoint of a project and mode.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
select id, name, url, events, signature_scheme, concurrency_max, include, enabled, disabled_reason, created_at, updated_at,
  find_next_secret_at(endpoints) as next_secret_at
from endpoints where id = $1 and project_id = $2 and mode = $3
