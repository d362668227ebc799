-- Lists the roles that a project made itself.
-- @param $1:projectId
select name, scopes from roles where project_id = $1 order by name
