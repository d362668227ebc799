-- Creates an endpoint with its first secret, unless the id exists or the project has as many endpoints as allowed.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:url
-- @param $5:events
-- @param $6:signatureScheme
-- @param $7:enabled
-- @param $8:concurrencyMax
-- @param $9:sealed
-- @param $10:endpointsMax
-- @param $11:include
with created as (
  insert into endpoints (id, project_id, mode, url, events, signature_scheme, enabled, concurrency_max, include)
  select $1, $2, $3, $4, $5, $6, $7, $8, $11
  where (select count(*) from endpoints where project_id = $2 and mode = $3 and name is null) < $10
  on conflict (id) do nothing returning project_id, id
)
insert into secrets (project_id, endpoint_id, seq, sealed, shown_at) select project_id, id, 1, $9, now() from created
