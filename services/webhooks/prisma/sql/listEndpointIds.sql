-- Lists the endpoints of a project and mode.
-- @param $1:projectId
-- @param $2:mode
select id from endpoints where project_id = $1 and mode = $2
