-- Finds the default endpoint of a project.
-- @param $1:projectId
-- @param $2:name
select id from endpoints where project_id = $1 and name = $2
