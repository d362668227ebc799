-- Deletes an endpoint of a project and mode; the default endpoint follows its project and stays.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
delete from endpoints where id = $1 and project_id = $2 and mode = $3 and name is null
