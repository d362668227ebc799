-- Removes a role of a project, which nobody has: the project is locked.
-- @param $1:projectId
-- @param $2:name
delete from roles where project_id = $1 and name = $2
