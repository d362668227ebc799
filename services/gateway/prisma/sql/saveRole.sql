-- Makes a role of a project, or changes its scopes.
-- @param $1:projectId
-- @param $2:name
-- @param $3:scopes
-- @param $4:now
insert into roles (project_id, name, scopes, updated_at) values ($1, $2, $3, $4)
on conflict (project_id, name) do update set scopes = excluded.scopes, updated_at = excluded.updated_at
