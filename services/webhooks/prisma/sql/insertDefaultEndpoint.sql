-- Creates the default endpoint of a project and mode with its first secret, unless it exists.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:name
-- @param $5:sealed
with created as (
  insert into endpoints (id, project_id, mode, name) values ($1, $2, $3, $4)
  on conflict (project_id, name) do nothing returning project_id, id
)
insert into secrets (project_id, endpoint_id, seq, sealed, shown_at) select project_id, id, 1, $5, now() from created
